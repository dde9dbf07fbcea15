import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Stores of which one is told lies by its hub.
@Suite struct `Stores whose hub lies` {
  /// The percentage of the hub's answers that are lies. The environment variable `KEEPSAKE_HISTORY_LIES` sets it.
  private static let percent = RandomHistory.setting("LIES") ?? 20

  @Test(arguments: RandomHistory.seeds)
  func `show nothing that nobody wrote, and lose nothing`(seed: UInt64) async throws {
    let clock = HistoryClock()
    let lies = Locked<[LyingHub.Lie: Int]>([:])
    var (syncs, withLies) = (0, 0)
    try await Mirrors.make(2, options: clock.options) { mirrors in
      var writer = CrowdWriter(seed: seed)
      var told: Comment {
        "seed \(seed):\n\(writer.deeds.joined(separator: "\n")) \(lies.withLock { "\($0)" })"
      }
      for round in 0..<RandomHistory.steps / 4 {
        for (index, store) in mirrors.stores.enumerated() {
          for _ in 0..<Int.random(in: 0...2, using: &writer.random) {
            clock.tick()
            try await writer.step(on: store, index)
          }
        }
        try await mirrors.first.sync()
        let liar = LyingHub.address(
          mirrors.address, seed: seed &* 1000 &+ UInt64(round), percent: Self.percent,
          counting: lies)
        let before = lies.withLock { $0.values.reduce(0, +) }
        let report = try? await mirrors.second.sync(with: liar)
        syncs += 1
        if lies.withLock({ $0.values.reduce(0, +) }) > before { withLies += 1 }
        writer.deeds.append(
          "sync of store 1 with lies, \(report?.aside.count ?? -1) aside, \(report?.failed.count ?? -1) failed"
        )
        let shown = (try await mirrors.first.texts(), try await mirrors.second.texts())
        #expect(shown.0.subtracting(writer.all) == [], told)
        #expect(shown.1.subtracting(writer.all) == [], told)
        #expect(writer.said.subtracting(shown.0.union(shown.1)) == [], told)
      }
      // A store reads the hub's directory again after an hour, and finds what lies have hidden.
      for _ in 0..<3 {
        clock.tick(seconds: 7200)
        for store in mirrors.stores {
          let report = try await store.sync()
          writer.deeds.append("sync: \(report.failed) \(report.aside)")
        }
      }
      let reports = try await mirrors.sync()
      #expect(reports.allSatisfy { $0.failed.isEmpty && $0.sent.isEmpty }, "\(reports) \(told)")
      // A hub may have said yes to a session and kept nothing of it. A fork of that session may fit nowhere, and stay aside.
      let aside = Set(reports.flatMap(\.aside).map(\.session))
      #expect(aside.isEmpty || lies.withLock { $0[.dropped] != nil }, "\(reports) \(told)")
      let pair = CommitPair(first: mirrors.first, second: mirrors.second)
      let difference = try await pair.difference(besides: aside, isLate: true)
      #expect(difference == nil, told)
      for store in mirrors.stores {
        let report = try await store.verify(.init(readData: true))
        #expect(report.findings.filter { $0.severity != .harmless }.isEmpty, told)
      }
      if aside.isEmpty {
        for store in mirrors.stores {
          #expect(writer.said.subtracting(try await store.texts()) == [], told)
        }
      }
      #expect(lies.withLock { $0.values.reduce(0, +) } > 0)
    }
    let kinds = lies.withLock { $0 }.map { "\($0.key) \($0.value)" }.sorted()
    print("seed \(seed): \(withLies) of \(syncs) syncs with lies: \(kinds.joined(separator: ", "))")
  }
}

extension `Stores whose hub lies` {
  @Test func `send a session that a lie left aside, although nobody else writes to it`()
    async throws
  {
    try await Mirrors.make(1) { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("one"))
      try await mirrors.first.sync()
      try await session.append(.prompt("two"))
      let liar = HubAddress(mirrors.address.description) {
        RefusingHub(hub: try await mirrors.address.open($0))
      }
      let lied = try await mirrors.first.sync(with: liar)
      #expect(lied.aside.map(\.session) == [session.id])
      let report = try await mirrors.first.sync()
      #expect(report.aside.isEmpty && report.sent == [session.id])
      #expect(try await mirrors.first.membership()?.waiting == 0)
    }
  }
}

/// A hub that takes nothing, and says that others wrote what nobody can read.
private struct RefusingHub: ForwardingHub {
  let hub: any Hub

  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] { offers.map { _ in .no(nil) } }

  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    let truth = try await hub.versions(of: session, after: version, bytes: bytes)
    let versions = truth.versions.map {
      HubVersion(
        version: $0.version, stamp: $0.stamp, base: $0.base, saying: $0.bytes.dropLast())
    }
    return HubVersions(versions: versions, newest: truth.newest)
  }
}
