import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let memory = Measure(
    names: [
      "memory to put much", "memory to read much",
    ], run: measureMemory)

  private static func measureMemory(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    guard ProcessFigures.resetPeak() else { return [] }
    let size = (workshop.isQuick ? 200 : 500) * 1_000_000
    return try await workshop.withStore { store in
      let session = try await store.createSession(title: "memory")
      let file = workshop.place("source")
      try workshop.material.file(size, at: file)
      // One small round first: what is loaded once is not growth.
      let small = try await session.attach(.init(.bytes(workshop.material.bytes(5_000_000))))
      guard let artifact = small.artifact else { throw Surprise.wrongCount }
      for try await _ in artifact.chunks() {}

      func growth(_ body: () async throws -> Void) async throws -> Double {
        _ = ProcessFigures.resetPeak()
        let before = ProcessFigures.memory ?? 0
        try await body()
        return Double((ProcessFigures.peak ?? 0) - before) / 1_000_000
      }
      var large: Artifact?
      let put = try await growth {
        large = try await session.attach(.init(.file(file))).artifact
      }
      let read = try await growth {
        guard let large else { throw Surprise.wrongCount }
        var count = 0
        for try await piece in large.chunks() { count += piece.count }
        guard count == size else { throw Surprise.wrongCount }
      }
      try FileManager.default.removeItem(at: file)
      return [
        Row(names[0], value: put, unit: "MB", goal: .valueAtMost(16)),
        Row(names[1], value: read, unit: "MB", goal: .valueAtMost(16)),
      ]
    }
  }
}
