import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import KeepsakeObjects

/// Figures of a hub in a bucket, beside those of plain requests in the same run. They are printed, and nothing depends on them.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["KEEPSAKE_S3_FIGURES"] != nil && S3Server.isHere,
    "KEEPSAKE_S3_FIGURES asks for them"), .serialized)
struct `Figures of a hub in a bucket` {
  private static let count = 200

  @Test(arguments: [1, 8]) func `commits beside plain writes of the same bytes`(_ tasks: Int)
    async throws
  {
    let server = try S3Server.shared.get()
    let hub = try await ObjectHub.open(server, at: server.place())
    var figures: [String: [Double]] = [:]
    for _ in 0..<3 {
      figures["plain", default: []].append(
        try await Self.rate(tasks) { task, number, _ in
          let line = VersionFile(HubOffer(UUID(), on: nil), version: 1, hub: hub.identity.id).line
          _ = try await hub.store.put(
            "\(hub.keys.prefix)plain/\(task)/\(UUID())", line + Self.bytes)
          return nil
        })
      let sessions = (0..<tasks).map { _ in UUID() }
      figures["commits", default: []].append(
        try await Self.rate(tasks) { task, _, base in
          let stamp = UUID()
          let offer = HubOffer(
            session: sessions[task], base: base, stamp: stamp, bytes: Self.bytes)
          let answer = try await hub.commit(offer)
          #expect(answer.version != nil)
          return stamp
        })
    }
    let best = figures.mapValues { $0.max() ?? 0 }
    print(
      "\(tasks) tasks: plain \(Int(best["plain"] ?? 0))/s, commits \(Int(best["commits"] ?? 0))/s, "
        + "ratio \((best["commits"] ?? 0) / (best["plain"] ?? 1))")
  }

  private static let bytes = [UInt8](repeating: 0x61, count: 1500)

  private static func rate(
    _ tasks: Int, _ body: @escaping @Sendable (Int, Int, UUID?) async throws -> UUID?
  ) async throws -> Double {
    let start = Instant.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          var base: UUID?
          for number in 0..<(count / tasks) { base = try await body(task, number, base) }
        }
      }
      try await group.waitForAll()
    }
    return Double(count) / ((Instant.now - start) / .seconds(1))
  }
}
