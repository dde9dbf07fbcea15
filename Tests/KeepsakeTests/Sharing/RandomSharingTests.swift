import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Stores that write at random to sessions that they share.
@Suite struct `Stores with random histories that share sessions` {
  @Test(arguments: RandomHistory.seeds)
  func `each change is written as others read it, wherever answers are lost`(seed: UInt64)
    async throws
  {
    let steps = RandomHistory.Step.allCases.filter { !$0.imports }
    let reaching: (HubAddress, Int) -> HubAddress = { address, index in
      HubAddress(address.description) {
        ForgetfulHub(
          hub: try await address.open($0), seed: seed &* 16 &+ UInt64(index), percent: 10)
      }
    }
    try await Sharers.make(reaching: reaching) { sharers in
      var random = SeededGenerator(seed: seed)
      var histories = sharers.stores.indices.map { index in
        var history = RandomHistory(seed: seed &* 16 &+ UInt64(index))
        history.steps = steps
        return history
      }
      var deeds: [String] = []
      var told: Comment { "seed \(seed):\n\(deeds.joined(separator: "\n"))" }
      for step in 0..<RandomHistory.steps {
        let index = Int.random(in: histories.indices, using: &random)
        do {
          let deed = try await histories[index].step(on: sharers.stores[index])
          deeds.append("store \(index): \(deed)")
        } catch {
          Issue.record("\(error), \(told)")
          return
        }
        // Only what the hub has is here.
        let left = try sharers.stores[index].handle.read { db in
          try (db.unsent.sessions(), db.offers.count(), db.hubSessions.faulty().map(\.fault))
        }
        try #require(left.0 == [] && left.1 == 0 && left.2 == [], told)
        if step % 40 == 39 { try await sharers.requireSame(told) }
      }
      try await sharers.requireSame(told)
    }
  }
}

/// A hub that takes commits, or does not get them, and says neither.
private struct ForgetfulHub: ForwardingHub {
  let hub: any Hub
  private let random: Locked<SeededGenerator>
  private let percent: Int

  init(hub: any Hub, seed: UInt64, percent: Int) {
    self.hub = hub
    self.percent = percent
    random = Locked(SeededGenerator(seed: seed))
  }

  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    let place = random.withLock { Int.random(in: 0..<200, using: &$0) }
    if place >= percent * 2 { return try await hub.commit(offers) }
    if place < percent { _ = try await hub.commit(offers) }
    return offers.map { _ in .failed(InterruptedHub.cut) }
  }
}
