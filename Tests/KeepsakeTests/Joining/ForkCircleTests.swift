import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// A hub that lies may say of two sessions that each was forked from the other one. A store takes over the origin of a fork before the
/// fork, and must not go on with that for ever.
@Suite struct `Two sessions that name each other as their origins` {
  @Test func `are left aside by a store that mirrors the hub, which takes over all others`()
    async throws
  {
    try await Mirrors.make { mirrors in
      let circle = try await tellCircle(to: mirrors.folder)
      let limited = LimitedHub.address(mirrors.address)
      let other = try await mirrors.first.createSession(title: "Ships")
      try await other.append(.prompt("a ship"))
      try await mirrors.first.sync(with: limited)
      for _ in 0..<2 {
        let report = try await mirrors.second.sync(with: limited)
        #expect(Set(report.aside.map(\.session)) == circle)
        #expect(report.aside.contains { $0.reason.contains("was forked from a fork of itself") })
        #expect(report.failed == [])
        #expect(try await mirrors.second.sessions().sessions.map(\.id) == [other.id])
      }
    }
  }

  @Test func `are refused by a store that shares the hub's sessions, which shows all others`()
    async throws
  {
    try await Sharers.make(reaching: { address, _ in LimitedHub.address(address) }) { sharers in
      let circle = try await tellCircle(to: sharers.folder)
      let other = try await sharers.first.createSession(title: "Ships")
      try await other.append(.prompt("a ship"))
      for id in circle {
        let error = await #expect(throws: KeepsakeError.self) {
          try await sharers.second.session(id)
        }
        #expect(error?.cause as? HubFault != .unreachable)
      }
      #expect(try await sharers.second.session(other.id).entries.all().map(\.text) == ["a ship"])
      #expect(try await sharers.second.sessions().sessions.map(\.id) == [other.id])
      let aside = try await sharers.second.membership()?.aside.map(\.session)
      #expect(Set(aside ?? []) == circle)
    }
  }

  /// Tells a hub of two forks, each of which names the other one as its origin, and returns their ids.
  private func tellCircle(to folder: HubFolder) async throws -> Set<UUID> {
    let store = try await Store.temporary(options: .withoutIndexing)
    var forks: [UUID] = []
    for title in ["Fruit", "Vegetables"] {
      let origin = try await store.createSession(title: title)
      try await origin.append(.prompt("one"))
      let fork = try await origin.fork(before: 1)
      try await fork.append(.response("two"))
      forks.append(fork.id)
    }
    let hub = try await folder.open()
    for (fork, other) in zip(forks, forks.reversed()) {
      let whole = try #require(
        try await store.wholeCommits(of: [fork]).first { $0.session == fork })
      var records = whole.records
      records[0]["fork.of"] = .blob(other.bytes)
      let commit = SessionCommit(
        session: fork, base: whole.base, end: whole.end, records: records, gone: whole.gone,
        erased: whole.erased)
      let row = try OfferTable.Row(commit, after: nil)
      let offer = HubOffer(session: fork, base: nil, stamp: row.stamp, bytes: row.bytes)
      #expect(try await hub.commit(offer).version == 1)
    }
    await hub.close()
    try await store.removeTemporary()
    return Set(forks)
  }
}

/// A hub that can't be reached any more once versions were read many times, so that a store which never comes to an end is told so.
private struct LimitedHub: ForwardingHub {
  let hub: any Hub
  private let reads = Locked(0)

  static func address(_ address: HubAddress) -> HubAddress {
    HubAddress(address.description) { LimitedHub(hub: try await address.open($0)) }
  }

  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    let count = reads.withLock { reads in
      reads += 1
      return reads
    }
    guard count <= 200 else {
      throw KeepsakeError(
        .inputOutput, "Versions were read \(count) times.", object: identity.address,
        cause: HubFault.unreachable)
    }
    return try await hub.versions(of: session, after: version, bytes: bytes)
  }
}
