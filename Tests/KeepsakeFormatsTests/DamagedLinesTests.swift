import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// Files of agents are torn, overwritten and mixed: nothing in them may stop an import, or the program.
@Suite("Damaged lines of agents")
struct DamagedLinesTests {
  private static let files: [(String, [String])] = [
    ("claude-code", ClaudeCodeReadingTests.talk), ("gemini-cli", GeminiCLIReadingTests.talk),
  ]

  @Test(arguments: ["claude-code", "gemini-cli"])
  func `whatever is in a file, it is read to its end, and none of its bytes is lost`(format: String)
    throws
  {
    let lines = try #require(Self.files.first { $0.0 == format }?.1)
    let codec = try #require(Codecs.named(format) as? any FileCodec.Type)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<400 {
      let damaged = Self.damaged(lines, &random)
      var reading = try codec.read(ForeignFile(damaged, name: "damaged"))
      var bytes: [UInt8] = []
      while let record = try reading.next() {
        bytes += record.bytes
        var end = 0
        for span in record.spans {
          #expect(span.range.lowerBound >= end, "seed \(seed), round \(round)")
          end = span.range.upperBound
        }
        #expect(end <= record.bytes.count, "seed \(seed), round \(round)")
      }
      #expect(bytes == damaged, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: ["claude-code", "gemini-cli"])
  func `what is taken in of it is sound, comes out again, and is known the next time`(
    format: String
  ) async throws {
    let lines = try #require(Self.files.first { $0.0 == format }?.1)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    try await withStore { store, folder in
      for round in 0..<12 {
        let damaged = Self.damaged(lines, &random)
        let file = folder.appending(path: "\(round).jsonl")
        try Data(damaged).write(to: file)
        let report = try await store.importFile(at: file, format: format)
        guard let id = report.sessions.first?.id else { continue }
        let again = try await store.importFile(at: file, format: format)
        #expect(again.sessions.map(\.added) == [0], "seed \(seed), round \(round)")
        if report.sessions.first?.new == true {
          let bytes = try await store.session(id).exported(as: format).0
          #expect(bytes == damaged, "seed \(seed), round \(round)")
        }
      }
      #expect(try await store.verify().findings == [], "seed \(seed)")
    }
  }

  @Test
  func `a file that parts ways within a record shares nothing of the record, and is given back`()
    async throws
  {
    let lines = try #require(Self.files.first { $0.0 == "gemini-cli" }?.1)
    // The first record of the model says its reasoning, which is the same in both, and its answer, which is not.
    let answers = lines.indices.filter { lines[$0].contains(#""id":"m-1""#) }
    try #require(answers.count == 2)
    var shorter = lines
    shorter.remove(at: answers[1])
    var other = lines
    other[answers[0]] = other[answers[0]].replacingOccurrences(of: "I look.", with: "I see.")
    try #require(other != lines)
    let (first, second) = (shorter.joined(separator: "\n"), other.joined(separator: "\n"))
    try await withStore { store, folder in
      for (name, text) in [("first", first), ("second", second)] {
        let file = folder.appending(path: "\(name).jsonl")
        try Data(text.utf8).write(to: file)
        let report = try await store.importFile(at: file, format: "gemini-cli")
        let id = try #require(report.sessions.first?.id)
        let (bytes, _) = try await store.session(id).exported(as: "gemini-cli")
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        if name == "second" {
          #expect(try await store.session(id).summary().forkPosition == 1)
        }
      }
      #expect(try await store.verify().findings == [])
    }
  }

  /// A file with some of its bytes changed, lost, or there twice.
  private static func damaged(_ lines: [String], _ random: inout SeededGenerator) -> [UInt8] {
    var damaged = Array(lines.joined(separator: "\n").utf8)
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let index = Int.random(in: damaged.indices, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: damaged[index] = UInt8.random(in: 0...255, using: &random)
      case 1: damaged[index] = Array("{}[]\",:\\u0/=\nn1".utf8).randomElement(using: &random) ?? 0
      case 2: damaged.remove(at: index)
      default:
        let end = min(damaged.count, index + Int.random(in: 1...200, using: &random))
        let stretch = damaged[index..<end]
        damaged.insert(contentsOf: stretch, at: Int.random(in: damaged.indices, using: &random))
      }
    }
    return damaged
  }
}
