import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// Tests of a store that is kept in step with its hub until the task is cancelled.
@Suite struct `A store that is kept in step` {
  /// A hub that counts how often it was opened and closed.
  private struct CountedHub: ForwardingHub {
    let hub: any Hub
    let counts: Locked<(opened: Int, closed: Int)>

    func close() async {
      counts.withLock { $0.closed += 1 }
      await hub.close()
    }

    static func address(
      _ address: HubAddress, _ counts: Locked<(opened: Int, closed: Int)>
    ) -> HubAddress {
      HubAddress(address.description) {
        let hub = try await address.open($0)
        counts.withLock { $0.opened += 1 }
        return CountedHub(hub: hub, counts: counts)
      }
    }
  }

  /// Waits until a condition holds, and records an issue if it does not within a while.
  private func until(_ isSo: () async throws -> Bool) async throws {
    for _ in 0..<2000 {
      if try await isSo() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("It did not come about.")
  }

  @Test func `tells at once what changes here, through one hub`() async throws {
    try await Mirrors.make(2) { mirrors in
      let counts = Locked((opened: 0, closed: 0))
      let address = CountedHub.address(mirrors.address, counts)
      let first = mirrors.first
      let syncs = Locked(0)
      // The pause is so long that only a change can end it.
      let keeping = Task {
        try await first.keepInStep(with: address, every: .seconds(3600)) {
          if case .success = $0 { syncs.withLock { $0 += 1 } }
        }
      }
      try await until { syncs.withLock { $0 } == 1 }
      for number in 1...3 {
        let before = syncs.withLock { $0 }
        _ = try await first.createSession(title: "Ship \(number)")
        try await until {
          try await mirrors.second.sync()
          return try await mirrors.second.sessions().sessions.count == number
        }
        // The closure hears of a sync a moment after the hub has got the change. One sync could tell the hub two changes.
        try await until { syncs.withLock { $0 } > before }
      }
      #expect(syncs.withLock { $0 } >= 4)
      keeping.cancel()
      await #expect(throws: CancellationError.self) { try await keeping.value }
      #expect(counts.withLock { $0 } == (1, 1))
      try await mirrors.sync()
      try await mirrors.requireSame()
    }
  }

  @Test func `takes over what changes elsewhere, and waits for a hub that is away`() async throws {
    try await Mirrors.make(2) { mirrors in
      let counts = Locked((opened: 0, closed: 0))
      let address = CountedHub.address(mirrors.address, counts)
      let second = mirrors.second
      let failures = Locked(0)
      let keeping = Task {
        try await second.keepInStep(with: address, every: .milliseconds(20)) {
          if case .failure = $0 { failures.withLock { $0 += 1 } }
        }
      }
      _ = try await mirrors.first.createSession(title: "Ships")
      try await mirrors.first.sync()
      try await until { try await second.sessions().sessions.count == 1 }
      let (path, away) = (mirrors.folder.path, mirrors.folder.path + ".away")
      // An open hub can be used after its folder was moved, so the test cuts the connection as well.
      let cut = Locked(false)
      let cutting = InterruptedHub.address(address) { _ in
        if cut.withLock({ $0 }) { throw InterruptedHub.cut }
      }
      keeping.cancel()
      _ = try? await keeping.value
      let again = Task {
        try await second.keepInStep(with: cutting, every: .milliseconds(20)) {
          if case .failure = $0 { failures.withLock { $0 += 1 } }
        }
      }
      try FileManager.default.moveItem(atPath: path, toPath: away)
      cut.withLock { $0 = true }
      try await until { failures.withLock { $0 } > 2 }
      cut.withLock { $0 = false }
      try FileManager.default.moveItem(atPath: away, toPath: path)
      _ = try await mirrors.first.createSession(title: "Boats")
      try await mirrors.first.sync()
      try await until { try await second.sessions().sessions.count == 2 }
      again.cancel()
      await #expect(throws: CancellationError.self) { try await again.value }
      #expect(counts.withLock { $0.opened == $0.closed && $0.opened > 1 })
      try await mirrors.requireSame()
    }
  }

  @Test func `is so until the store leaves the hub, or whoever listens has enough`() async throws {
    try await Mirrors.make(1) { mirrors in
      let counts = Locked((opened: 0, closed: 0))
      let address = CountedHub.address(mirrors.address, counts)
      let first = mirrors.first
      struct Enough: Error {}
      await #expect(throws: Enough.self) {
        try await first.keepInStep(with: address) { _ in throw Enough() }
      }
      let keeping = Task { try await first.keepInStep(with: address, every: .milliseconds(20)) }
      try await until { counts.withLock { $0.opened } == 2 }
      try await first.leave()
      let error = await #expect(throws: KeepsakeError.self) { try await keeping.value }
      #expect(error?.code == .notFound)
      #expect(counts.withLock { $0 } == (2, 2))
    }
  }

  @Test func `may share the hub's sessions`() async throws {
    try await Sharers.make { sharers in
      let second = sharers.second
      let keeping = Task { try await second.keepInStep(every: .milliseconds(20)) }
      _ = try await sharers.first.createSession(title: "Ships")
      try await until {
        try second.handle.read { try $0.hubSessions.versions().count } == 1
      }
      keeping.cancel()
      await #expect(throws: CancellationError.self) { try await keeping.value }
    }
  }
}
