import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("AnyLanguageModel's transcript")
struct AnyLanguageModelTests {
  @Test func `the records of a file are the file`() throws {
    let bytes = try Fixtures.bytes("anylanguagemodel/all.json")
    let records = try AnyLanguageModelCodec.records(bytes)
    #expect(records.flatMap(\.bytes) == bytes)
    #expect(records.map(\.spans.count) == [0, 0, 1, 0, 0, 0, 0, 0])
    #expect(records.map(\.remarks.count) == [0, 0, 0, 0, 1, 0, 1, 0])
  }

  @Test func `it is read as entries with everything in its place`() throws {
    let source = try AnyLanguageModelCodec.records(Fixtures.bytes("anylanguagemodel/all.json"))
      .flatMap(\.entries)
    let entries = source.map(\.entry)
    #expect(
      entries.map(\.kind) == [
        .instructions, .prompt, .toolCalls, .toolOutput, .response, .unknown,
      ])
    #expect(entries.map(\.key) == ["I", "P", "T", "call-1", "A", nil])
    #expect(entries[1].text == "Draw 藍")
    #expect(source[1].attachments.map(\.state) == [.present, .remote])
    #expect(source[1].attachments[1].reference == "https://example.com/a.png")
    #expect(source[1].attachments[0].mediaType == "image/png")
    #expect(entries[2].toolCalls[0].arguments == #"{"z":1,"a":[true,null,"x",{"q":1.5}]}"#)
    #expect(entries[3].callID == "call-1")
    guard case .structure(let card, schema: "Card") = entries[4].segments[0].content else {
      return #expect(Bool(false))
    }
    #expect(card.text == #"{"title":"t","n":[1,2]}"#)
  }

  @Test func `what is read and written again says the same to a decoder`() async throws {
    let bytes = try Fixtures.bytes("anylanguagemodel/all.json")
    let entries = try AnyLanguageModelCodec.records(bytes).flatMap(\.entries)
    let given = try JSON(validating: bytes)["entries"]?.arrayValue ?? []
    for (entry, given) in zip(entries, given) {
      var losses = Losses()
      let record = try #require(
        AnyLanguageModelCodec.record(try entry.outgoing(), as: .only, &losses))
      var written: [UInt8] = []
      try await record.write { written += $0 }
      #expect(losses.isEmpty)
      #expect(try JSON(validating: written).isEquivalent(to: given), "\(given)")
    }
  }

  @Test func `structured content is framed and freed of its frame`() throws {
    let values = [
      "null", "true", "-1.50e3", #""a\/b""#, "[]", "{}", #"{"b":1,"a":{"c":[null,"x"]}}"#,
    ]
    for text in values {
      let value = try JSON(validating: text)
      let content = GeneratedContent.content(of: value)
      #expect(GeneratedContent.value(of: content) == value, "\(content)")
      #expect(GeneratedContent.isPlain(content, value))
    }
    for text in ["{}", #"{"kind":{"type":"odd"}}"#, #"{"kind":{"type":"number","value":"1"}}"#] {
      #expect(GeneratedContent.value(of: try JSON(validating: text)) == nil)
    }
  }

  @Test func `a session moves between the frameworks`() async throws {
    try await withStore { store, folder in
      let report = try await store.importing(
        Fixtures.bytes("anylanguagemodel/all.json"), in: folder)
      let session = try await store.session(#require(report.sessions.first).id)
      let (bytes, losses) = try await session.exported(as: "apple")
      #expect(losses[.foreign] == 2)
      #expect(losses[.attachments] == 1)
      let entries = try AppleCodec.decode(bytes)
      #expect(
        entries.map(\.entry.kind) == [
          .instructions, .prompt, .toolCalls, .toolOutput, .response,
        ])
      #expect(entries[0].entry.toolDefinitions?[0]?["type"]?.stringValue == "function")
      #expect(entries[1].attachments.count == 1)
    }
  }
}
