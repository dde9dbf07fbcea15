import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

/// Attack 43: records, names and lines with tens of thousands of parts.
@Suite("What a record of many parts costs")
struct LargeRecordTests {
  /// What four times as much may cost at most: linear is 4, a square is 16.
  private static let limit = 8.0

  private static func object(keys count: Int) -> [UInt8] {
    let members = (0..<count).map { "\"a key with number \($0)\":\($0)" }
    return Array("{\(members.joined(separator: ","))}".utf8)
  }

  @Test func `43: an object of many keys is read in time that grows with them`() throws {
    let growth = try growth(from: 500, preparing: Self.object) { bytes in
      let object = try #require(JSONObject(bytes.indices, in: bytes))
      #expect(object.repeated == [])
      #expect(object.json("a key with number 499") == .number(499))
    }
    #expect(growth < Self.limit)
  }

  @Test(arguments: [3, 15, 16, 17, 40])
  func `of a key that comes again the first counts, among few keys and among many`(count: Int)
    throws
  {
    // The é of one is composed, of the other not: they are two.
    let others = (0..<count).map { "\"\($0)\":\($0)" }.joined(separator: ",")
    let bytes = Array(
      #"{"0":"first","caf\u00e9":1,"cafe\#u{301}":2,\#(others),"caf\#u{e9}":3,"2":4}"#.utf8)
    let object = try #require(JSONObject(bytes.indices, in: bytes))
    #expect(object.repeated == ["0", "caf\u{e9}", "2"])
    #expect(object.json("0") == .string("first"))
    #expect(object.json("2") == .number(2))
    #expect(object.members.count == count + 2)
  }

  /// Calls of which each says something that Keepsake has no field for.
  private static func calls(_ count: Int) throws -> OutgoingEntry {
    let calls = (0..<count).map { #"{"id":"\#($0)","name":"Draw","arguments":"{}","more":\#($0)}"# }
    let bytes = Array(
      #"{"id":"A","role":"response","toolCalls":[\#(calls.joined(separator: ","))]}"#.utf8)
    var reader = AppleEntryReader(bytes)
    let entry = reader.entry(bytes.indices, created: Date(timeIntervalSince1970: 0)).entry
    #expect(entry.toolCalls.count == count)
    return OutgoingEntry(entry)
  }

  @Test func `43: what its calls said beside is written back in time that grows with them`() throws
  {
    let growth = try growth(from: 150, preparing: Self.calls) { entry in
      var losses = Losses()
      let record = try #require(AppleCodec.record(entry, as: .os27, &losses))
      let last = entry.entry.toolCalls.count - 1
      #expect(String(decoding: record.bytes, as: UTF8.self).contains(#""more":\#(last)}]"#))
    }
    #expect(growth < Self.limit)
  }

  @Test func `43: many artifacts of one name are given names in time that grows with them`() {
    let growth = growth(from: 500, preparing: \.self) { count in
      var names = UnusedNames()
      for number in 1...count {
        let name = names.take(number % 2 == 0 ? "Cup.png" : "cup.png")
        if number > 1 { #expect(name.lowercased() == "cup-\(number).png") }
      }
    }
    #expect(growth < Self.limit)
  }

  @Test func `a name that somebody else has is passed over`() {
    var names = UnusedNames()
    let given = ["cup.png", "cup-3.png", "cup.png", "CUP.png", "cup-3.png", ".cup", ".cup"]
      .map { names.take($0) }
    #expect(
      given == ["cup.png", "cup-3.png", "cup-2.png", "CUP-4.png", "cup-3-2.png", ".cup", ".cup-2"])
  }

  /// What a parser may look back or ahead for.
  @Test(arguments: [
    "(", "[", "](a)", "](a(b", "](\\)", "](a( (x ", "](a( 'x ", "](<", "`", "` `` ", "<a ", "&#",
    "*a_",
    "> ", "- ", "1. ", "| a ", "!\u{5B}a](b) ", "https://a/ ", "\\", "\\<b>",
  ])
  func `A12: a line of one thing over and over is written in time that grows with it`(part: String)
  {
    let growth = growth(from: 400) { count in
      // What it may wait for comes at the end.
      "a " + String(repeating: part, count: count) + ")]>`'\""
    } of: { text in
      var safe = MarkdownText()
      safe.add(text)
      #expect(safe.finish().utf8.count >= text.utf8.count)
    }
    #expect(growth < Self.limit)
  }

  @Test(arguments: [
    "a line\n", "> ", "| a | b |\n", "- a\n", "```\n", "<b>\n", "a\n=\n", "[a]: b\n",
  ])
  func `A12: a text of many lines, or one that nests, is written in time that grows with it`(
    part: String
  ) {
    let growth = growth(from: 500) {
      String(repeating: part, count: $0)
    } of: { text in
      var safe = MarkdownText()
      safe.add(text)
      _ = safe.finish()
    }
    #expect(growth < Self.limit)
  }

  @Test func `E8: a record that is too large is refused before it is in memory, with the limit`()
    throws
  {
    let text =
      #"{"transcript":{"entries":[{"id":"A"},  {"id":"\#(String(repeating: "b", count: 300))"}]}}"#
    func read(limit: Int64) throws {
      var document = JSONDocument(
        ForeignFile(Array(text.utf8), name: "chat.json"), arrayAt: [["transcript", "entries"]],
        elementLimit: limit)
      while try document.next() != nil {}
    }
    try read(limit: 309)
    let error = try #require(throws: FormatError.self) { try read(limit: 308) }
    #expect(error.code == .tooLarge)
    #expect(error.entry == 2)
    #expect(
      error.message
        == "Can't read entry 2 of 'chat.json': it has 309 bytes; 308 is the limit. Nothing was taken over."
    )
  }
}
