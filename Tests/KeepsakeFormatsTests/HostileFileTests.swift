import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Files that are damaged, or made to do harm")
struct HostileFileTests {
  private static let head =
    #"{"type":"FoundationModels.Transcript","version":"1.1","transcript":{"entries":["#
  private static let good =
    #"{"id":"A","role":"user","contents":[{"type":"text","id":"0","text":"hi"}],"options":{}}"#

  private static func file(_ entries: String..., tail: String = "]}}") -> String {
    head + entries.joined(separator: ",") + tail
  }

  /// A brace that closes where an element is expected was waited for without end.
  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      ("ai-sdk", #"{"messages":[}}"#), ("ai-studio", #"{"chunkedPrompt":{"chunks":[{}}]}}"#),
      ("adk", #"{"events":[{},}]}"#), ("openai-chat", #"{"messages":[{"role":"user"}}]}"#),
      ("gemini", #"{"contents":[}"#), ("anthropic", #"{"messages":[[]}}"#),
      ("openai-responses", #"{"input":[}]}"#), ("gemini-interactions", #"[{"steps":[]}}]"#),
    ])
  func `a document whose array ends with a brace is refused`(format: String, text: String)
    async throws
  {
    try await withStore { store, folder in
      _ = try await #require(throws: FormatError.self) {
        try await store.importing(Array(text.utf8), in: folder, format: format)
      }
      #expect(try await store.sessions().sessions.isEmpty)
    }
  }

  /// What is no whole document is refused, with the place.
  @Test(arguments: [
    (file(good, #"{"id":"B","role":"us"#, tail: ""), "entry 2 ('B')", "cut off"),
    (file(good, tail: ""), "after entry 1", "cut off"),
    (file(good, tail: "]}"), "chat.json", "cut off"),
    (file(good, tail: ",]}}"), "chat.json", "a value was expected after entry 1"),
    (file(good, "", good), "chat.json", "a value was expected after entry 1"),
    (file(good, tail: "]}}x"), "chat.json", "follows the value"),
    (file(good, tail: "]}}{"), "chat.json", "follows the value"),
    (file(good, #"{"id":"B",}"#), "entry 2 ('B')", "a key in double quotes"),
    (file(good, #"{"id":"B","a":01}"#), "entry 2 ('B')", "superfluous zero"),
    (file(good, #"{"id":"B","a":"\x"}"#), "entry 2 ('B')", "unknown escape"),
    (file(good, "{\"id\":\"B\",\"a\":\"\u{1}\"}"), "entry 2 ('B')", "control character"),
    (file(good, #"{"id":"B","a":[}]}"#), "entry 2 ('B')", "a value was expected"),
    (file(good, #"{"id":"B"} {"id":"C"}"#), "chat.json", "',' or ']' was expected"),
    (#"{"transcript":{"entries":5}}"#, "'entries' is no array", "byte 25"),
    (#"{"transcript":{"entries":{}}}"#, "'entries' is no array", "byte 25"),
    (#"{"transcript":[],"version":1}"#, "no entries at 'transcript.entries'", "Nothing was"),
    (#"{"transcript":5,"transcript":{"entries":[]}}"#, "no entries", "Nothing was"),
    (#"["transcript"]"#, "does not begin with '{'", "byte 0"),
    (#"{"transcript""#, "chat.json", "byte 13"),
    (#"{transcript:{}}"#, "a key was expected", "byte 1"),
  ])
  func `what is no whole transcript is refused, and it says where it broke`(
    text: String, subject: String, reason: String
  ) throws {
    let error = try #require(throws: FormatError.self) {
      try AppleCodec.records(Array(text.utf8))
    }
    #expect(error.code == .malformed)
    #expect(error.message.contains(subject), "\(error.message)")
    #expect(error.message.contains(reason), "\(error.message)")
    #expect(error.message.contains("Nothing was taken over."))
  }

  @Test func `every prefix of a transcript is refused, and none crashes`() throws {
    let bytes = try Fixtures.bytes("apple/os26.json")
    for length in stride(from: 0, to: bytes.count, by: 7) {
      let error = try #require(throws: FormatError.self, "length \(length)") {
        try AppleCodec.records(Array(bytes[..<length]))
      }
      #expect((error.offset ?? 0) <= Int64(length))
    }
  }

  @Test func `bytes that were changed at random are refused or come back, and never crash`() throws
  {
    let bytes = try Fixtures.bytes("apple/os27.json")
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<400 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: damaged.indices, using: &random)
        damaged[index] =
          Array("{}[]\",:\\u0/=".utf8).randomElement(using: &random) ?? 0
      }
      do {
        let records = try AppleCodec.records(damaged)
        #expect(records.flatMap(\.bytes) == damaged, "seed \(seed), round \(round)")
      } catch is FormatError {}
    }
  }

  @Test(arguments: [512, 513, 10_000, 1_000_000])
  func `nesting is followed to a limit`(depth: Int) throws {
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    // The entry itself is a level.
    let entry = #"{"id":"B","role":"user","contents":[],"options":"# + deep + "}"
    let bytes = Array(Self.file(Self.good, entry).utf8)
    if depth < 512 {
      #expect(try AppleCodec.records(bytes).count == 4)
    } else {
      let error = try #require(throws: FormatError.self) { try AppleCodec.records(bytes) }
      #expect(error.entry == 2)
      #expect(error.entryID == "B")
      #expect(error.message.contains("512 levels"), "\(error.message)")
    }
    let envelope = #"{"transcript":{"entries":[]},"x":"# + deep + "}"
    #expect(throws: FormatError.self) { try AppleCodec.records(Array(envelope.utf8)) }
  }

  /// What is not as it should be inside of a whole document is kept, with a reason.
  @Test(arguments: [
    ("5", "an object was expected"), (#""text""#, "an object was expected"),
    (#"{"id":"B"}"#, "it has no role"), (#"{"id":"B","role":7}"#, "it has no role"),
    (#"{"id":"B","role":"data"}"#, "its role 'data' is not known"),
    (#"{"id":"B","role":"user"}"#, "its 'contents' are no array"),
    (#"{"id":"B","role":"user","contents":"hi"}"#, "its 'contents' are no array"),
    (#"{"id":"B","role":"response","toolCalls":{}}"#, "its 'toolCalls' are no array"),
    (#"{"id":"B","role":"response","toolCalls":[{"id":"c"}]}"#, "tool call 1 has no name"),
    (#"{"id":"B","role":"reasoning","contents":[]}"#, "its 'reasoning' is no object"),
  ])
  func `an entry that is not as it should be is kept whole, with the reason`(
    entry: String, reason: String
  ) throws {
    let records = try AppleCodec.records(Array(Self.file(Self.good, entry).utf8))
    let record = records[2]
    #expect(record.remarks.count == 1)
    #expect(record.remarks[0].contains(reason), "\(record.remarks)")
    #expect(record.entries.count == 1)
    #expect(record.entries[0].entry.kind == .unknown)
    let json = try JSON(validating: entry)
    #expect(
      record.entries[0].entry.segments.map(\.content) == [.opaque(json, type: "apple.entry")])
    #expect(record.entries[0].entry.key == json["id"]?.stringValue)
  }

  @Test(arguments: [
    ("7", "it is no object"), (#"{"type":"text","id":"0","text":7}"#, "no text as it should be"),
    (#"{"type":"structure","id":"0","structure":{}}"#, "no structure as it should be"),
    (#"{"type":"image","id":"0","image":"data:image/jpeg;base64,A*"}"#, "no image as it should"),
    (#"{"type":"image","id":"0","image":"data:image/jpeg;base64,"}"#, "no image as it should"),
    (#"{"type":"image","id":"0","image":"data:image/jpeg;base64,AAAAA"}"#, "no image as it"),
    (#"{"type":"image","id":"0","image":"data:image/jpeg;base64,AA==AA=="}"#, "no image as it"),
    (#"{"type":"image","id":"0","image":"data:image/svg+xml,<svg>"}"#, "no image as it should"),
    (#"{"type":"image","id":"0","image":"https://example.com/a.jpg"}"#, "no image as it should"),
    (#"{"type":"image","id":"0","image":{"a":1}}"#, "no image as it should be"),
    (#"{"type":"attachment","id":"0","attachment":"x"}"#, "no attachment as it should be"),
    (#"{"type":"video","id":"0"}"#, "its type 'video' is not known"),
    (#"{"id":"0"}"#, "its type '' is not known"),
  ])
  func `a content that is not as it should be is kept as it is, with the reason`(
    content: String, reason: String
  ) throws {
    let entry = #"{"id":"B","role":"user","contents":[\#(content)],"options":{}}"#
    let record = try AppleCodec.records(Array(Self.file(Self.good, entry).utf8))[2]
    #expect(record.remarks.count == 1)
    #expect(record.remarks[0].contains(reason), "\(record.remarks)")
    #expect(record.entries[0].entry.kind == .prompt)
    guard case .opaque(let json, let type)? = record.entries[0].entry.segments.first?.content
    else { return #expect(Bool(false)) }
    #expect(json.text == content)
    #expect(type.hasPrefix("apple."))
  }

  @Test func `of a key that comes twice the first counts, and the rest is kept and remarked on`()
    throws
  {
    let entry =
      #"{"id":"B","role":"user","role":"tool","contents":[{"type":"text","text":"a","text":"b"}]}"#
    let record = try AppleCodec.records(Array(Self.file(entry).utf8))[1]
    #expect(record.entries[0].entry.kind == .prompt)
    #expect(record.entries[0].entry.text == "a")
    #expect(record.remarks.count == 2)
    let file =
      #"{"transcript":{"entries":[\#(entry)],"entries":[1]},"transcript":{"entries":[2,3]}}"#
    let records = try AppleCodec.records(Array(file.utf8))
    #expect(records.flatMap(\.entries).count == 1)
    #expect(records.last?.remarks.count == 2)
    #expect(records.flatMap(\.bytes) == Array(file.utf8))
  }

  @Test func `a byte order mark and the zeros of a crash are kept`() throws {
    let bytes =
      [0xEF, 0xBB, 0xBF] + Array(Self.file(Self.good).utf8) + [UInt8](repeating: 0, count: 9)
    let records = try AppleCodec.records(bytes)
    #expect(records.flatMap(\.bytes) == bytes)
    #expect(records.last?.remarks == ["9 zero bytes follow the document; they are kept."])
    let inside = Array(Self.file(Self.good).utf8) + [0] + Array(" ".utf8)
    #expect(throws: FormatError.self) { try AppleCodec.records(inside) }
    let wide = Array(Self.file(Self.good).utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let error = try #require(throws: FormatError.self) {
      try AppleCodec.records([0xFF, 0xFE] + wide)
    }
    #expect(error.message.contains("UTF-16"))
  }

  @Test func `text that is not UTF-8 is refused with its byte`() throws {
    var bytes = Array(Self.file(Self.good).utf8)
    let place = try #require(bytes.firstIndex(of: UInt8(ascii: "h")))
    bytes[place] = 0xFF
    let error = try #require(throws: FormatError.self) { try AppleCodec.records(bytes) }
    #expect(error.offset == Int64(place))
    #expect(error.entryID == "A")
  }

  @Test(arguments: [
    (#"\ud83c"#, true), (#"\udf4c"#, true), (#"\ud83c\ud83c\udf4c"#, true), (#"\ud83cx"#, true),
    (#"\ud83c\n"#, true), (#"\ud83c\udf4c"#, false), (#"\\ud83c"#, false), ("\u{FFFD}", false),
    (#"\u0041\\"#, false),
  ])
  func `half of a surrogate pair is read as U+FFFD, and remarked on`(text: String, isLone: Bool)
    throws
  {
    let entry =
      #"{"id":"B","role":"user","contents":[{"type":"text","id":"0","text":"a\#(text)"}]}"#
    let bytes = Array(Self.file(entry).utf8)
    let records = try AppleCodec.records(bytes)
    #expect(records.flatMap(\.bytes) == bytes)
    #expect((records[1].remarks.count == 1) == isLone, "\(records[1].remarks)")
    #expect(records[1].entries[0].entry.text.contains("\u{FFFD}") == (isLone || text == "\u{FFFD}"))
  }

  @Test func `content that is too large for an entry is kept as an artifact, and written back`()
    async throws
  {
    let large = String(repeating: "x", count: 2 << 20)
    let entry =
      #"{"id":"B","role":"user","options":{},"contents":[{"type":"video","id":"0","video":"\#(large)"}]}"#
    let unknown = #"{"id":"C","role":"data","bytes":"\#(large)"}"#
    let bytes = Array(Self.file(entry, unknown).utf8)
    let entries = try AppleCodec.decode(bytes)
    #expect(entries.map(\.attachments.count) == [1, 1])
    #expect(entries.allSatisfy { $0.entry.segments.count == 1 })
    let (json, losses) = try await AppleCodec.encode(entries.map { try $0.outgoing() }, as: .os27)
    #expect(losses.isEmpty)
    let written = try JSON(validating: json)["transcript"]?["entries"]
    #expect(written?[1]?.text == unknown)
    #expect(written?[0]?["contents"]?[0]?["video"]?.stringValue?.utf8.count == 2 << 20)
  }

  @Test func `a record that is larger than the window is read into memory of its own size`()
    async throws
  {
    let image = Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
    let entry =
      #"{"id":"B","role":"user","options":{},"contents":[{"type":"image","id":"0","image":"data:image/png;base64,\#(image.base64EncodedString())"}]}"#
    let bytes = Array(Self.file(Self.good, entry, Self.good).utf8)
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "large.json")
      try Data(bytes).write(to: file)
      var reading = try AppleCodec.read(ForeignFile(path: file.path))
      var read: [UInt8] = []
      while let record = try reading.next() {
        read += record.bytes
        #expect(record.bytes.capacity < record.bytes.count + 65_536)
        if let attachment = record.entries.first?.attachments.first {
          #expect(record.spans.count == 1)
          #expect(try attachment.bytes() == [UInt8](image))
        }
      }
      #expect(read == bytes)
    }
  }

  @Test func `what stands around the entries is bounded`() throws {
    let large = #"{"x":"\#(String(repeating: "x", count: 17 << 20))","transcript":{"entries":[]}}"#
    let error = try #require(throws: FormatError.self) {
      try AppleCodec.records(Array(large.utf8))
    }
    #expect(error.code == .tooLarge)
  }

  @Test func `a file that is written to while it is read is not taken over`() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "growing.json")
      try Data(Self.file(Self.good).utf8).write(to: file)
      var reading = try AppleCodec.read(ForeignFile(path: file.path))
      _ = try reading.next()
      let handle = try FileHandle(forWritingTo: file)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(" ".utf8))
      try handle.close()
      let error = try #require(throws: FormatError.self) {
        while try reading.next() != nil {}
      }
      #expect(error.code == .changed)
    }
  }
}
