import Foundation
import Testing

@testable import Keepsake

@Suite("Entries as JSON")
struct EntryJSONTests {
  /// An entry with everything that one can have.
  static func full() throws -> Entry {
    var entry = Entry(
      .toolOutput,
      segments: [
        .text("line\n\"quoted\" 藍色"),
        Entry.Segment(.structure(try JSON(validating: #"{"b": 1.50, "a": [null]}"#), schema: "S")),
        Entry.Segment(.structure(.null, schema: nil), id: "s-2"), .attachment(0),
        .opaque(try JSON(validating: #"{"x":1e2}"#), type: "apple.custom"),
      ],
      toolCalls: [Entry.ToolCall(id: "c1", tool: "Draw", arguments: #"{ "n" : 1.0 }"#)],
      created: Date(microseconds: 1_760_000_000_123_456))
    entry.status = .interrupted
    entry.visibility = .model
    entry.callID = "c1"
    entry.tool = "Draw"
    entry.key = "k"
    entry.lane = "router"
    entry.author = "alice"
    entry.model = "m"
    entry.tags = ["a", "b"]
    entry.metadata = try JSON(validating: #"{"z":1.0}"#)
    entry.options = try JSON(validating: #"{"temperature":0.70}"#)
    entry.responseFormat = .string("text")
    entry.toolDefinitions = try JSON(validating: "[]")
    entry.usage = Usage(reported: ["tokens": 7])
    entry.timing = try JSON(validating: #"{"seconds":1e-3}"#)
    entry.signature = "sig"
    entry.foreignTime = "yesterday"
    entry.position = 3
    entry.turn = 2
    entry.attachments = [try attachment(.pointer("/a/0")), try attachment(.range(2..<5))]
    return entry
  }

  static func attachment(_ place: Entry.Attachment.Place?) throws -> Entry.Attachment {
    let id = try #require(Artifact.ID(String(repeating: "ab", count: 32)))
    return Entry.Attachment(
      recording: 9, session: UUID(), created: Date(microseconds: 1),
      artifact: Artifact(
        id: id, size: 12, sniffedType: "image/png", pixelSize: PixelSize(width: 3, height: 4),
        home: nil), state: .superseded, direction: .made, maker: .toolCall, basis: .inferred,
      position: 3, segment: 1, place: place, turn: 2,
      call: .init(position: 2, ordinal: 1), callID: "c1", tool: "Draw", invocation: UUID(),
      label: "image_1", declaredLabel: "img", mediaType: "image/x-png", fileName: "a.png",
      captions: [.init("a", author: "bob"), .init("b")], reference: "/tmp/a.png",
      inputs: [.artifact(id), .entry(1)])
  }

  @Test func `an entry with everything comes back from its JSON`() throws {
    let entry = try Self.full()
    let back = try Entry(json: entry.json)
    #expect(back == entry)
    // Equality of artifacts and types looks at less than all of them.
    #expect(back.json == entry.json)
    #expect(try JSON(validating: entry.json.text) == entry.json)
  }

  @Test func `the shape that scripts rely on is there, whatever an entry has`() throws {
    for entry in [try Self.full(), Entry(.event)] {
      let keys = entry.json.members?.map(\.key) ?? []
      for key in [
        "position", "id", "kind", "created", "text", "segments", "toolCalls", "callID", "tool",
        "attachments",
      ] { #expect(keys.contains(key), "\(key)") }
    }
    let attachment = try Self.full().json["attachments"]?[0]
    let keys = attachment?.members?.map(\.key) ?? []
    #expect(
      keys.prefix(13) == [
        "artifact", "mediaType", "fileName", "label", "caption", "size", "width", "height",
        "direction", "basis", "callID", "tool", "state",
      ])
    let json = try Self.full().json
    #expect(json["created"]?.stringValue == "2025-10-09T08:53:20.123456Z")
    #expect(json["toolCalls"]?[0]?["arguments"]?.stringValue == #"{ "n" : 1.0 }"#)
    #expect(json["segments"]?[1]?["structure"]?.text == #"{"b": 1.50, "a": [null]}"#)
  }

  @Test func `Codable gives back what it was given, through JSON and through property lists`()
    throws
  {
    let entry = try Self.full()
    let json = try JSONDecoder().decode(Entry.self, from: JSONEncoder().encode(entry))
    #expect(json == entry)
    #expect(json.json == entry.json)
    let attachment = try #require(entry.attachments.first)
    let again = try JSONDecoder().decode(
      Entry.Attachment.self, from: JSONEncoder().encode(attachment))
    #expect(again.json == attachment.json)
    let segments = try JSONDecoder().decode(
      [Entry.Segment].self, from: JSONEncoder().encode(entry.segments))
    #expect(segments == entry.segments)
    let artifact = try #require(attachment.artifact)
    let artifactAgain = try JSONDecoder().decode(
      Artifact.self, from: JSONEncoder().encode(artifact))
    #expect(artifactAgain.json == artifact.json)
    var plain = Entry.prompt("hi")
    plain.created = Date(microseconds: 5)
    plain.callID = "c"
    plain.tool = "t"
    plain.position = 0
    let encoder = PropertyListEncoder()
    let list = try encoder.encode(plain)
    #expect(try PropertyListDecoder().decode(Entry.self, from: list) == plain)
  }

  @Test func `what a person writes by hand is enough`() throws {
    let entry = try Entry(
      json: JSON(
        validating: #"""
          {"text": "hi", "toolCalls": [{"tool": "Draw", "arguments": {"n": 1.0}}], "new": 1,
           "kind": "toolCalls", "callID": null}
          """#))
    #expect(entry.kind == .toolCalls)
    #expect(entry.text == "hi")
    #expect(entry.toolCalls.first?.arguments == #"{"n": 1.0}"#)
    #expect(entry.status == .complete)
    #expect(entry.callID == nil)
  }

  @Test(arguments: [
    (#"[]"#, "entry: it is an array"), (#"{"text":"a"}"#, "'kind' is missing"),
    (#"{"kind":"promt"}"#, "'kind' is \"promt\""), (#"{"kind":"prompt","text":1}"#, "'text' is 1"),
    (#"{"kind":"prompt","created":"now"}"#, "'created' is \"now\""),
    (#"{"kind":"prompt","segments":[{}]}"#, "segment: its 'text' is missing"),
    (#"{"kind":"prompt","segments":{}}"#, "'segments' is {}"),
    (#"{"kind":"toolCalls","toolCalls":[{"id":"x"}]}"#, "tool call: its 'tool' is missing"),
    (#"{"kind":"prompt","tags":[1]}"#, "a tag is a number"),
    (#"{"kind":"prompt","attachments":[{}]}"#, "attachment: its"),
  ])
  func `what is no entry is refused with the member that is wrong`(json: String, message: String)
    throws
  {
    let json = try JSON(validating: json)
    let error = try #require(throws: KeepsakeError.self) { try Entry(json: json) }
    #expect(error.code == .invalid)
    #expect(error.message.contains(message), "\(error.message)")
  }

  @Test func `a text of any size stands in the JSON as it is`() throws {
    var entry = Entry.toolOutput(callID: "c", tool: "Read", segments: [.text("first")])
    entry.created = Date(microseconds: 1)
    entry.segments.append(.init(.text(String(repeating: "藍色 ", count: 150_000)), id: "big"))
    #expect(try Entry(json: entry.json) == entry)
    let decoded = try JSONDecoder().decode(Entry.self, from: JSONEncoder().encode(entry))
    #expect(decoded == entry)
    let segment = entry.segments[1]
    #expect(try Entry.Segment(json: segment.json) == segment)
  }

  private func expectRoundTrip<Value: Codable & Hashable & Sendable>(_ value: Value) throws {
    let data = try JSONEncoder().encode([value])
    let again = try JSONDecoder().decode([Value].self, from: data)
    #expect(again == [value])
    #expect(Set(again + [value]).count == 1)
    let list = try PropertyListEncoder().encode([value])
    #expect(try PropertyListDecoder().decode([Value].self, from: list) == [value])
  }

  @Test func `every value of an entry's family comes back from its Codable form`() throws {
    let entry = try Self.full()
    // A property list has no null, which is what one of the segments holds.
    for segment in entry.segments where segment.content != .structure(.null, schema: nil) {
      try expectRoundTrip(segment)
      try expectRoundTrip(segment.content)
    }
    for call in entry.toolCalls {
      try expectRoundTrip(call)
      try expectRoundTrip(Entry.MadeBy.toolCall(call))
    }
    for attachment in entry.attachments {
      try expectRoundTrip(attachment)
      try expectRoundTrip(try #require(attachment.place))
      try expectRoundTrip(try #require(attachment.call))
      for caption in attachment.captions { try expectRoundTrip(caption) }
      for input in attachment.inputs { try expectRoundTrip(input) }
    }
    for kind in Entry.Kind.allCases { try expectRoundTrip(kind) }
    for status in Entry.Status.allCases { try expectRoundTrip(status) }
    for visibility in Entry.Visibility.allCases { try expectRoundTrip(visibility) }
    for maker in [Entry.MadeBy.step("s"), .response, .user, .source] { try expectRoundTrip(maker) }
    for divergence in [Session.Divergence.fail, .fork] { try expectRoundTrip(divergence) }
    let revision = Session.Revision(
      number: 1, replaced: Date(microseconds: 2), entry: .prompt("earlier"))
    let data = try JSONEncoder().encode(revision)
    #expect(try JSONDecoder().decode(Session.Revision.self, from: data).number == 1)
  }
}
