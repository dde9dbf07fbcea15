import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Apple's transcript, without a store")
struct AppleRoundTripTests {
  @Test(arguments: Fixtures.apple)
  func `the records of a file are the file`(name: String) throws {
    let bytes = try Fixtures.bytes("apple/\(name)")
    #expect(try AppleCodec.records(bytes).flatMap(\.bytes) == bytes)
  }

  @Test func `the fixtures have every role, content and version of the tables`() throws {
    var roles: Set<String> = []
    var types: Set<String> = []
    var keys: Set<String> = []
    for name in Fixtures.apple {
      let json = try JSON(validating: Fixtures.bytes("apple/\(name)"))
      let transcript = json["transcript"]?["transcript"] == nil ? json : json["transcript"]
      for entry in transcript?["transcript"]?["entries"]?.arrayValue ?? [] {
        roles.insert(entry["role"]?.stringValue ?? "")
        keys.formUnion(entry.members?.map(\.key) ?? [])
        let contents = entry["contents"] ?? entry["reasoning"]?["contents"]
        for content in contents?.arrayValue ?? [] {
          types.insert(content["type"]?.stringValue ?? "")
        }
      }
    }
    #expect(roles == ["instructions", "user", "response", "tool", "reasoning", "data"])
    #expect(types == ["text", "structure", "image", "attachment", "video"])
    #expect(
      keys.isSuperset(of: [
        "tools", "options", "contextOptions", "responseFormat", "metadata", "toolCalls",
        "toolCallID", "toolName", "assets", "reasoning",
      ]))
    let versions = try ["os26.json", "os27.json"].map {
      try JSON(validating: Fixtures.bytes("apple/\($0)"))["version"]?.text
    }
    #expect(versions == ["1", #""1.1""#])
  }

  @Test func `an OS 26 transcript is read as entries with everything in its place`() throws {
    let entries = try AppleCodec.decode(Fixtures.bytes("apple/os26.json")).map(\.entry)
    #expect(
      entries.map(\.kind) == [
        .instructions, .prompt, .toolCalls, .toolOutput, .toolOutput, .response,
      ])
    #expect(entries[0].toolDefinitions?[0]?["function"]?["name"]?.stringValue == "GenerateImage")
    #expect(entries[1].text == "Two bananas, please. Übrigens: 🍌")
    #expect(entries[1].options?["temperature"]?.text == "0.7")
    #expect(entries[1].responseFormat?["jsonSchema"]?["name"]?.stringValue == "Fruit")
    #expect(
      entries[2].toolCalls.map(\.arguments) == [
        #"{"content" : "banana",  "limit" : 2}"#, #"{"limit":1.0,"content":"banana"}"#,
      ])
    #expect(entries[3].callID == entries[2].toolCalls[0].id)
    #expect(entries[3].tool == "GenerateImage")
    guard case .structure(let failure, schema: "Failure") = entries[4].segments[0].content else {
      return #expect(Bool(false), "\(entries[4].segments)")
    }
    #expect(failure["code"]?.text == "1e2")
    #expect(failure.members?.map(\.key) == ["reason", "code", "z", "a"])
    // Apple rewrites the id of an output to the call's.
    #expect(entries[4].key == entries[2].toolCalls[1].id)
    #expect(entries[5].metadata?["apple"]?["assets"]?.arrayValue?.count == 2)
    #expect(entries[1].key == entries[1].id.uuidString)
    #expect(entries[5].segments.map(\.id) == ["0", "1"])
  }

  @Test func `images become attachments with their exact bytes, labels and makers`() throws {
    let bytes = try Fixtures.bytes("apple/os27.json")
    let entries = try AppleCodec.decode(bytes)
    #expect(
      entries.map(\.entry.kind) == [
        .instructions, .prompt, .reasoning, .toolCalls, .toolOutput, .response, .unknown, .prompt,
      ])
    let prompt = entries[1]
    #expect(prompt.attachments.map(\.label) == [nil, "image_0"])
    #expect(prompt.attachments.map(\.mediaType) == ["image/jpeg", "image/jpeg"])
    #expect(prompt.attachments.map(\.maker) == [.user, .user])
    #expect(try prompt.attachments[0].bytes().starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(
      entries[4].attachments.map(\.maker)
        == [.toolCall(Entry.ToolCall(id: "call-1", tool: "Zoom"))])
    #expect(entries[5].attachments.map(\.maker) == [.response, .response])
    #expect(entries[2].entry.signature == "c2lnbmF0dXJl")
    #expect(
      entries[3].entry.toolCalls[0].arguments == #"{"image":{"attachmentLabel":"image_0"}}"#)
    #expect(
      entries[1].entry.metadata?["apple"]?["contextOptions"]?.text
        == #"{"includeSchemaInPrompt":true}"#)
    // The large ones are cut out of the record, the small ones are not worth it.
    let records = try AppleCodec.records(bytes)
    #expect(records.map(\.spans.count) == [0, 0, 1, 0, 0, 1, 1, 0, 0, 0])
    #expect(records.map(\.remarks.count) == [0, 0, 0, 0, 0, 0, 0, 1, 1, 0])
  }

  @Test(arguments: Fixtures.apple)
  func `what is read and written again reads as the same`(name: String) async throws {
    try await Self.checkAgain(Fixtures.bytes("apple/\(name)"), "\(name)")
  }

  @Test func `OS 26 is given no reasoning, no images and nothing unknown, and it is said`()
    async throws
  {
    let entries = try AppleCodec.decode(Fixtures.bytes("apple/os27.json"))
    let (json, losses) = try await AppleCodec.encode(entries.map { try $0.outgoing() }, as: .os26)
    let document = try JSON(validating: json)
    #expect(document["version"]?.text == "1")
    let written = document["transcript"]?["entries"]?.arrayValue ?? []
    #expect(
      written.map { $0["role"]?.stringValue } == [
        "instructions", "user", "response", "tool", "response", "user",
      ])
    #expect(written[1]["contents"]?[1]?["text"]?.stringValue == "[image_0]")
    #expect(written[1]["contextOptions"] == nil)
    #expect(losses[.reasoning] == 1)
    #expect(losses[.attachments] == 5)
    #expect(losses[.foreign] == 2)
    #expect(losses[.details] == 4)
  }

  @Test func `what OS 27 insists on is there, whatever an entry has`() async throws {
    var output = Entry.toolOutput(callID: "call-9", tool: "Draw", segments: [.text("done")])
    output.key = "of my own"
    let entries = [
      Entry.instructions("Be brief."), .prompt("hi"), .reasoning("hm"),
      .toolCalls([Entry.ToolCall(id: "call-9", tool: "Draw")]), output, .response("ho"),
    ]
    let (json, losses) = try await AppleCodec.encode(
      entries.map { OutgoingEntry($0) { _ in .absent } }, as: .os27)
    #expect(losses.isEmpty)
    let document = try JSON(validating: json)
    #expect(document["version"]?.text == #""1.1""#)
    let written = document["transcript"]?["entries"]?.arrayValue ?? []
    #expect(written.count == 6)
    for entry in written {
      #expect(entry["id"]?.stringValue?.isEmpty == false)
      let contents = entry["contents"] ?? entry["reasoning"]?["contents"]
      for content in contents?.arrayValue ?? [] {
        #expect(content["id"]?.stringValue?.isEmpty == false)
      }
    }
    #expect(written[1]["options"]?.text == "{}")
    #expect(written[1]["contextOptions"]?.text == "{}")
    #expect(written[4]["id"]?.stringValue == "call-9")
    #expect(written[4]["toolCallID"]?.stringValue == "call-9")
    #expect(written[5]["assets"]?.text == "[]")
  }

  @Test
  func `ten thousand random transcripts come back to the byte, and mean the same when written`()
    async throws
  {
    let seed = UInt64.random(in: .min ... .max)
    for round in 0..<10_000 {
      var transcript = RandomTranscript(seed: seed &+ UInt64(round))
      let bytes = transcript.bytes()
      let name = "seed \(seed &+ UInt64(round))"
      let records = try AppleCodec.records(bytes)
      #expect(records.flatMap(\.bytes) == bytes, "\(name)")
      // Slower, so not for all of them.
      if round % 25 == 0 { try await Self.checkAgain(bytes, name) }
    }
  }

  /// Written and read again, entries are the same; and written once more, they are written the same.
  static func checkAgain(_ bytes: [UInt8], _ name: String) async throws {
    let first = try AppleCodec.decode(bytes)
    let once = try await AppleCodec.encode(first.map { try $0.outgoing() }, as: .os27)
    #expect(once.losses.isEmpty, "\(name): \(once.losses)")
    let second = try AppleCodec.decode(once.json)
    let twice = try await AppleCodec.encode(second.map { try $0.outgoing() }, as: .os27)
    #expect(once.json == twice.json, "\(name)")
    #expect(first.count == second.count, "\(name)")
    for (a, b) in zip(first, second) {
      #expect(a.entry.hasSameContent(as: b.entry), "\(name): \(a.entry.json) \(b.entry.json)")
      #expect(a.entry.options == b.entry.options, "\(name)")
      #expect(a.entry.responseFormat == b.entry.responseFormat, "\(name)")
      #expect(a.entry.toolDefinitions == b.entry.toolDefinitions, "\(name)")
      #expect(a.entry.signature == b.entry.signature, "\(name)")
      if a.entry.key != nil { #expect(a.entry.key == b.entry.key, "\(name)") }
      #expect(a.attachments.map(\.label) == b.attachments.map(\.label), "\(name)")
      #expect(a.attachments.map(\.mediaType) == b.attachments.map(\.mediaType), "\(name)")
      #expect(a.attachments.map(\.maker) == b.attachments.map(\.maker), "\(name)")
      for (x, y) in zip(a.attachments, b.attachments) {
        #expect(try x.bytes() == y.bytes(), "\(name)")
      }
    }
  }
}
