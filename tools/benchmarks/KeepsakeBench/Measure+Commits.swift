import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let commits = Measure(
    names: [
      "append that is noted for a commit, against one that is not",
      "an append's commit read and written out, against the append",
      "an append's commit taken over, against the append",
    ], run: measureCommits)

  /// Appends to a store that notes its changes and to one that does not, and what comes over to a third.
  private static func measureCommits(_ workshop: Workshop, _ names: [String]) async throws -> [Row]
  {
    var tracking = Store.Options()
    tracking.tracksChanges = true
    return try await workshop.withStore(options: tracking) { noting in
      try await workshop.withStore { other in
        try await workshop.withStore { plain in
          let session = try await noting.createSession(title: "append")
          let unnoted = try await plain.createSession(title: "append")
          let texts = workshop.material.texts(200)
          for commit in try await noting.takeCommits() {
            try await other.apply(commit, artifacts: NoArtifacts())
          }
          var written = Comparison()
          var read = Comparison()
          var applied = Comparison()
          for _ in 0..<2 {
            for text in texts {
              try await session.append(.response(text))
              try await unnoted.append(.response(text))
            }
            for commit in try await noting.takeCommits() {
              try await other.apply(commit, artifacts: NoArtifacts())
            }
          }
          for round in 0..<(2 * workshop.rounds) {
            var (appending, reading, applying): ([Double], [Double], [Double]) = ([], [], [])
            func ours() async throws {
              for text in texts {
                appending.append(
                  try await microseconds { try await session.append(.response(text)) })
                var bytes: [UInt8] = []
                reading.append(
                  try await microseconds {
                    for commit in try await noting.takeCommits() { bytes = try commit.encoded() }
                  })
                applying.append(
                  try await microseconds {
                    try await other.apply(SessionCommit(decoding: bytes), artifacts: NoArtifacts())
                  })
              }
            }
            if round.isMultiple(of: 2) { try await ours() }
            let plainly = try await microseconds(of: texts.count) { index in
              try await unnoted.append(.response(texts[index]))
            }
            if appending.isEmpty { try await ours() }
            written.add(appending.median, against: plainly.median)
            read.add(reading.median, against: plainly.median)
            applied.add(applying.median, against: plainly.median)
            for store in [noting, other, plain] { try await store.indexForSearch() }
          }
          return [
            Row(names[0], written, unit: "µs", goal: .ratioAtMost(1.1)),
            Row(names[1], read, unit: "µs", goal: .ratioAtMost(1)),
            Row(names[2], applied, unit: "µs", goal: .ratioAtMost(2)),
          ]
        }
      }
    }
  }
}

/// The bytes of commits that name no artifact.
private struct NoArtifacts: ArtifactBytes {
  func bytes(of artifact: Artifact.ID) -> ArtifactSource? { nil }
}
