import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Stores that write at random, and sync now and then.
@Suite struct `Stores with random histories that joined a hub` {
  @Test(arguments: RandomHistory.seeds)
  func `come to have the same, wherever the connection is cut`(seed: UInt64) async throws {
    try await Mirrors.make(3) { mirrors in
      var random = SeededGenerator(seed: seed)
      var histories = (0..<2).map { RandomHistory(seed: seed &* 16 &+ UInt64($0)) }
      var deeds: [String] = []
      var told: Comment { "seed \(seed):\n\(deeds.joined(separator: "\n"))" }
      for round in 0..<RandomHistory.steps / 8 {
        for index in histories.indices {
          let store = mirrors.stores[index]
          for _ in 0..<Int.random(in: 0...6, using: &random) {
            deeds.append("store \(index): \(try await histories[index].step(on: store))")
          }
        }
        let index = Int.random(in: 0..<3, using: &random)
        let cut = InterruptedHub.address(
          mirrors.address, seed: seed &* 1000 &+ UInt64(round), percent: 15)
        do {
          let report = try await mirrors.stores[index].sync(with: cut)
          deeds.append("sync of store \(index)")
          #expect(report.failed.isEmpty, told)
        } catch let error where InterruptedHub.isCut(error) {
          deeds.append("sync of store \(index), cut")
        }
      }
      // A sync leaves a session aside that went on in two stores, as long as a draft of the session is open.
      for index in histories.indices { try await histories[index].endDrafts() }
      let reports = try await mirrors.sync()
      #expect(reports.allSatisfy { $0.failed.isEmpty }, "\(reports) \(told)")
      #expect(reports.suffix(3).allSatisfy { $0.aside.isEmpty }, "\(reports.suffix(3)) \(told)")
      try await mirrors.requireSame(told)
      // A store may have to wait until another store has told the hub that forks need less of a deleted session. So all sync once more.
      try await mirrors.sync()
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub(told)
      for store in mirrors.stores {
        #expect(try await store.membership()?.waiting == 0, told)
      }
    }
  }
}
