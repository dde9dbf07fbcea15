import Foundation
import SQLite
import Testing

@testable import Keepsake

@Suite("What is looked through")
struct EntryTextTests {
  private func text(of entry: Entry) throws -> String {
    let body = EntryBody.encode(entry)
    var text = EntryText()
    try text.add(body: body.span.bytes, of: entry.kind) { _ in Array("large".utf8) }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test func `the strings of structures and arguments are, their keys and ids are not`() throws {
    var entry = Entry(
      .response,
      segments: [
        Entry.Segment(.text("says \"hi\""), id: "segmentid"),
        .structure(
          try JSON(
            validating: #"{"key": "one", "list": ["two", {"deep": "th\u0072ee"}, 4, true]}"#),
          schema: "Schema"),
        .attachment(0), .opaque(.string("opaque"), type: "kind"),
      ])
    entry.metadata = .string("metadata")
    #expect(try text(of: entry) == "says \"hi\"\none\ntwo\nthree")
    let calls = Entry.toolCalls([
      .init(id: "callid", tool: "Draw", arguments: #"{"content" : "banana", "n": 1}"#),
      .init(id: "callid", tool: "Draw", arguments: "not {json"),
    ])
    #expect(try text(of: calls) == "banana\nnot {json")
    #expect(
      try text(of: .toolOutput(callID: "x", tool: "T", segments: [.text(#" {"a": "b"} "#)])) == "b")
    #expect(try text(of: .toolOutput(callID: "x", tool: "T", segments: [.text("{a")])) == "{a")
    #expect(try text(of: .prompt(#"{"a": "b"}"#)) == #"{"a": "b"}"#)
  }

  @Test func `deeply nested arguments neither overflow nor are they lost`() throws {
    let deep = String(repeating: "[", count: 100_000) + "\"x\""
    #expect(try text(of: .toolCalls([.init(tool: "T", arguments: deep)])) == deep)
    let nested = String(repeating: "[", count: 500) + "\"x\"" + String(repeating: "]", count: 500)
    #expect(try text(of: .toolCalls([.init(tool: "T", arguments: nested)])) == "x")
  }

  private static let base64 = Data((0..<120).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
    .base64EncodedString()

  @Test(arguments: [
    ("before \(base64) after", "before   after"),
    ("![](data:image/png;base64,\(base64)) after", "![]( ) after"),
    ("data:text/plain,hello%20there end", "  end"),
    ("<img src=\"DATA:image/gif;base64,R0lGOD\">", "<img src=\" \">"),
    ("the data: 1, 2", "the data: 1, 2"),
    (
      String(repeating: "0123456789abcdef", count: 8),
      String(repeating: "0123456789abcdef", count: 8)
    ),
    (
      "/Users/Someone/Library/Containers/com.example.App2/Data/tmp/a-b/image_1_of_2.png",
      "/Users/Someone/Library/Containers/com.example.App2/Data/tmp/a-b/image_1_of_2.png"
    ),
    ("\(base64.prefix(76))\r\n\(base64.dropFirst(76).prefix(76))\r\n", " \r\n \r\n"),
    ("", ""),
    (String(repeating: "long", count: 40), String(repeating: "long", count: 40)),
  ])
  func `bytes that are written out are left out`(source: String, expected: String) {
    var bytes = Array("x\n\(source)".utf8)
    EncodedBytes.remove(from: &bytes, after: 2)
    #expect(String(decoding: bytes, as: UTF8.self) == "x\n\(expected)")
  }

  @Test func `base64 of any kind of bytes is found, and prose is not`() {
    let seed = UInt64.random(in: .min ... .max)
    print("Base64 seed: \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let data = Data(
        (0..<Int.random(in: 150...400, using: &random)).map { _ in
          .random(in: 0...255, using: &random)
        })
      let encoded = data.base64EncodedString()
      var bytes = Array(encoded.utf8)
      EncodedBytes.remove(from: &bytes, after: 0)
      #expect(bytes == [0x20], "seed \(seed): \(encoded)")
    }
  }

  @Test func `the beginning of a text that is kept as an artifact is looked through`() async throws
  {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      let large = "藍色 begin " + String(repeating: "—", count: 400_000) + " the end"
      try await session.append(.toolOutput(callID: nil, tool: "Read", segments: [.text(large)]))
      try await session.append(.prompt("begin"))
      for _ in 0..<2 {
        #expect(try await store.search("begin").hits.count == 2)
        #expect(try await store.search("\"the end\"").hits.isEmpty)
        try await store.indexForSearch()
      }
      try await session.revise(1, to: .prompt("begin " + large))
      #expect(try await store.search("\"begin 藍色\"").hits.map(\.position) == [1])
      try await session.revise(
        0, to: .toolOutput(callID: nil, tool: "Read", segments: [.text("short")]))
      #expect(try await store.search("begin").hits.map(\.position) == [1])
    }
  }
}
