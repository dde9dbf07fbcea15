import Foundation
import KeepsakeFiles
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("What is written for others to go on with")
struct HandingOnTests {
  static let formats = ["atif", "otel", "prov", "ro-crate"]

  @Test(arguments: formats)
  func `a long session is written in small pieces, and grows no faster than it`(format: String)
    async throws
  {
    try await withStore { store, _ in
      let session = try await store.createSession()
      var sizes: [Int] = []
      for _ in 1...2 {
        for turn in 0..<150 {
          let call = Entry.ToolCall(id: "c\(turn)", tool: "T\(turn % 5)")
          try await session.append([
            .prompt("ask \(turn)"), .toolCalls([call]), .toolOutput(for: call, text: "out"),
            .response("answer"),
          ])
        }
        let largest = Locked(0)
        let size = Locked(0)
        try await session.export(as: format) { piece in
          largest.withLock { $0 = max($0, piece.count) }
          size.withLock { $0 += piece.count }
        }
        #expect(largest.withLock { $0 } < 8192)
        sizes.append(size.withLock { $0 })
      }
      #expect(sizes[1] < sizes[0] * 5 / 2)
    }
  }

  @Test(arguments: formats)
  func `names that look the same and are not stay two`(format: String) async throws {
    try await withStore { store, _ in
      let session = try await store.createSession()
      let calls = ["\u{E9}", "e\u{301}", "a\u{0}/\"\\", ""].enumerated().map { index, tool in
        Entry.ToolCall(id: "c\(index)", tool: tool)
      }
      try await session.append(.toolCalls(calls))
      for call in calls { try await session.append(.toolOutput(for: call, text: "x")) }
      let (bytes, losses) = try await session.exported(as: format)
      let text = String(decoding: bytes, as: UTF8.self)
      _ = try JSON(validating: text)
      #expect(losses[.withoutCall] == 0)
      guard format == "prov" || format == "ro-crate" else { return }
      for name in ["tool-%C3%A9", "tool-e%CC%81", "tool-a%00%2F%22%5C"] {
        // Once as itself, and wherever else it is named.
        #expect(text.components(separatedBy: name).count > 2, "\(name)")
      }
    }
  }

  @Test(arguments: formats)
  func `an output whose call was left out does not end the rest`(format: String) async throws {
    try await withStore { store, _ in
      let session = try await store.createSession()
      let call = Entry.ToolCall(id: "c", tool: "T")
      try await session.append([
        .prompt("go"), .toolCalls([call]), .toolOutput(for: call, text: "1"),
        .toolOutput(for: call, text: "2"), .response("end"),
      ])
      try await session.erase(1)
      let (bytes, losses) = try await session.exported(as: format)
      _ = try JSON(validating: String(decoding: bytes, as: UTF8.self))
      if format == "atif" { #expect(losses.counts == [.erased: 1, .withoutCall: 2]) }
    }
  }
}
