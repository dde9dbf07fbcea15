import Foundation
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
