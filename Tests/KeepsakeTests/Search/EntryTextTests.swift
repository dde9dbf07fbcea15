import Foundation
import KeepsakeSQLite
import KeepsakeTestSupport
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
      "/Users/me/Library/Containers/com.example.App2/Data/tmp/a-b/image_1_of_2.png",
      "/Users/me/Library/Containers/com.example.App2/Data/tmp/a-b/image_1_of_2.png"
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
    var unlucky = 0
    for _ in 0..<200 {
      let data = Data(
        (0..<Int.random(in: 150...400, using: &random)).map { _ in
          .random(in: 0...255, using: &random)
        })
      let encoded = data.base64EncodedString()
      var bytes = Array(encoded.utf8)
      EncodedBytes.remove(from: &bytes, after: 0)
      if bytes == [0x20] { continue }
      // One in some thousands has by chance as many signs as a path.
      #expect(
        encoded.utf8.count { "+/".utf8.contains($0) } * 12 > encoded.utf8.count,
        "seed \(seed): \(encoded)")
      unlucky += 1
    }
    #expect(unlucky <= 5, "seed \(seed)")
  }

  @Test func `they are found as by whoever looks at every byte`() {
    let seed = UInt64.random(in: .min ... .max)
    print("Encoded bytes seed: \(seed)")
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a", "data", "Data:", "data:", "x-data:", "image/png", ";base64,", ",", "/", ":", " ", "\n",
      "\"",
      ")", "=", "word", "0123456789abcdef0123456789", "AbC1AbC1AbC1AbC1AbC1AbC1AbC1AbC1",
      "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODk=", "é",
      "藍",
    ]
    for _ in 0..<2000 {
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 0...24, using: &random) {
        text += (pieces.randomElement(using: &random) ?? "").utf8
      }
      let start = Int.random(in: 0...min(3, text.count), using: &random)
      var quick = text
      EncodedBytes.remove(from: &quick, after: start)
      #expect(
        quick == text[..<start] + Self.plainlyRemoved(Array(text[start...])),
        "seed \(seed): \(String(decoding: text, as: UTF8.self)) after \(start)")
    }
  }

  /// The rule as it is said: what begins at a byte, looked at byte by byte.
  private static func plainlyRemoved(_ text: [UInt8]) -> [UInt8] {
    func isLetter(_ byte: UInt8) -> Bool {
      Character(Unicode.Scalar(byte)).isASCII
        && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
          || "+/-_=".utf8.contains(byte))
    }
    var result: [UInt8] = []
    var rest = text[...]
    while let byte = rest.first {
      let string = String(decoding: rest, as: UTF8.self)
      if isLetter(byte), let url = string.wholeURL {
        result.append(0x20)
        rest = rest.dropFirst(url)
      } else if isLetter(byte) {
        let run = rest.prefix(while: isLetter)
        rest = rest.dropFirst(run.count)
        let isMixed = ["A"..."Z", "a"..."z", "0"..."9"].allSatisfy { kind in
          run.contains { kind.contains(String(Unicode.Scalar($0))) }
        }
        let signs = run.count { "+/-_".utf8.contains($0) }
        let isEncoded = run.count >= 60 && isMixed && signs * 12 <= run.count
        result += isEncoded ? [0x20] : Array(run)
      } else {
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return result
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

extension String {
  /// How many bytes the `data:` URL has that a text begins with.
  fileprivate var wholeURL: Int? {
    guard let comma = firstIndex(of: ","), lowercased().hasPrefix("data:") else { return nil }
    let head = self[..<comma]
    guard head.utf8.count <= 200, head.contains(where: { "/;".contains($0) }) else { return nil }
    let ends: (Unicode.Scalar) -> Bool = {
      $0.value <= 0x20 || "\"'`<>)]}".unicodeScalars.contains($0)
    }
    guard !head.unicodeScalars.contains(where: ends) else { return nil }
    return String(unicodeScalars.prefix { !ends($0) }).utf8.count
  }
}
