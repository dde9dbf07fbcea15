import Foundation
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Stores whose programs write to the same sessions at the same time, and sync now and then.
@Suite struct `Stores that write to the same sessions` {
  @Test(arguments: RandomHistory.seeds)
  func `come to have the same, and lose nothing`(seed: UInt64) async throws {
    let clock = HistoryClock()
    try await Mirrors.make(3, options: clock.options) { mirrors in
      var writer = CrowdWriter(seed: seed)
      var told: Comment { "seed \(seed):\n\(writer.deeds.joined(separator: "\n"))" }
      for round in 0..<RandomHistory.steps / 6 {
        for (index, store) in mirrors.stores.enumerated() {
          for _ in 0..<Int.random(in: 0...3, using: &writer.random) {
            clock.tick()
            try await writer.step(on: store, index)
          }
        }
        let index = Int.random(in: 0..<3, using: &writer.random)
        let cut = InterruptedHub.address(
          mirrors.address, seed: seed &* 1000 &+ UInt64(round), percent: 8)
        do {
          let report = try await mirrors.stores[index].sync(with: cut)
          writer.deeds.append("sync of store \(index): \(report.parted.count) parted")
          try #require(report.failed.isEmpty, told)
        } catch let error where InterruptedHub.isCut(error) {
          writer.deeds.append("sync of store \(index), cut")
        }
      }
      var reports: [SyncReport] = []
      for _ in 0..<3 { reports = try await mirrors.sync() }
      #expect(
        reports.allSatisfy { $0.failed.isEmpty && $0.aside.isEmpty && $0.sent.isEmpty },
        "\(reports) \(told)")
      try await mirrors.requireSame(told)
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub(told)
      for store in mirrors.stores {
        #expect(try await store.membership()?.waiting == 0, told)
        let texts = try await store.texts()
        #expect(writer.said.subtracting(texts) == [], told)
      }
    }
  }
}
