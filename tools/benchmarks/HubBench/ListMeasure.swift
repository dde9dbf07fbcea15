import Foundation
import Keepsake
import KeepsakeBenchReport
import KeepsakeFiles
import KeepsakePostgres

/// Measures lists, audits and first reads of a database with few sessions and of a database with many, by turns in one run.
///
/// Each session has ten entries. Most sessions have the bytes of a session that a store wrote, under an id of their own, with a place in
/// the lists and some terms. The newest ones were written by a store, and these are shown, audited and read.
struct ListMeasure {
  private static let real = 60
  private static let entries = 10
  /// The names of the rows in their order, each with the call that is timed.
  private static let asking: [(name: String, ask: @Sendable (Store, UUID) async throws -> Int)] = [
    ("first read of a session of 10 entries", { try await $0.session($1).entries.all().count }),
    ("page of 20 sessions", { store, _ in try await store.sessions(limit: 20).sessions.count }),
    (
      "page of 20 sessions, again",
      { store, _ in try await store.sessions(limit: 20).sessions.count }
    ),
    (
      "page of 20 sessions with a rare tag",
      { store, _ in try await store.sessions(.init(tag: "due"), limit: 20).sessions.count }
    ),
    (
      "page of 20 sessions with a tag that every tenth has",
      { store, _ in try await store.sessions(.init(tag: "common"), limit: 20).sessions.count }
    ),
    ("audit by digest", { store, _ in try await store.audit(artifact).attachments.count }),
    ("audit by digest, again", { store, _ in try await store.audit(artifact).attachments.count }),
    (
      "session by the beginning of its id",
      { try await $0.session(matching: String($1.uuidString.prefix(13))).count() }
    ),
  ]
  private static let bytes: [UInt8] = [1, 2, 3]
  private static let artifact = Artifact.ID(SHA256.digest(of: bytes))

  static var allNames: [String] { asking.map(\.name) }

  private let address: String
  private let sessions: Int

  /// Two spaces of one database would share the figures from which a server makes its plans, so each has a database of its own.
  static func rows(_ options: HubOptions, in shop: HubShop) async throws -> [Row] {
    let both = try (0..<2).map {
      ListMeasure(address: try options.address($0), sessions: try options.sessions($0))
    }
    var ids: [[UUID]] = []
    for each in both {
      let time = try await microseconds { ids.append(try await each.fill(shop)) }
      options.common.tell("\((time / 1e6).hundredths) s: a hub of \(each.sessions) sessions")
    }
    var comparisons = asking.map { _ in Comparison() }
    // The first round warms up.
    for round in 0...shop.rounds {
      var times: [[Double]] = [[], []]
      for index in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        times[index] = try await both[index].measure(ids[index][round % real], shop)
      }
      if round == 0 { continue }
      for (place, pair) in zip(times[1], times[0]).enumerated() {
        comparisons[place].add(pair.0, against: pair.1)
      }
    }
    return zip(allNames, comparisons).map { name, comparison in
      Row(name, comparison, unit: "ms", goal: .ratioAtMost(1.5))
    }
  }

  /// Opens a new store, which has no session of the hub yet, makes each call of ``asking`` once, and returns the milliseconds of each call.
  private func measure(_ id: UUID, _ shop: HubShop) async throws -> [Double] {
    let store = try await shop.sharedStore(at: address)
    var times: [Double] = []
    for (name, ask) in Self.asking {
      let time = try await microseconds {
        guard try await ask(store, id) > 0 else {
          throw KeepsakeError(.inputOutput, "Nothing was found: \(name).")
        }
      }
      times.append(time / 1000)
    }
    try await store.removeTemporary()
    return times
  }
}

// MARK: - Filling

extension ListMeasure {
  /// Makes the sessions, and returns the real ones.
  private func fill(_ shop: HubShop) async throws -> [UUID] {
    let hub = try await PostgresHub.open(at: address, making: true)
    let bytes = try await bytesOfSession(shop, hub)
    let batch = 256
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<2 {
        group.addTask { [sessions] in
          for start in stride(from: task * batch, to: sessions, by: 2 * batch) {
            let offers = (start..<min(start + batch, sessions)).map {
              Self.offer($0, bytes)
            }
            for answer in try await hub.commit(offers) {
              guard case .yes = answer else {
                throw KeepsakeError(.inputOutput, "The hub did not take a commit: \(answer)")
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    await hub.close()
    let writer = try await shop.sharedStore(at: address)
    var ids: [UUID] = []
    for number in 0..<Self.real {
      let session = try await writer.createSession(
        title: "Ship \(number)", tags: number % 3 == 0 ? ["due", "common"] : ["common"])
      ids.append(session.id)
      for entry in 0..<Self.entries { try await session.append(.prompt("\(entry) a banana?")) }
      if number == 7 {
        try await session.append(.response("one"), attaching: [.init(.bytes(Self.bytes))])
      }
    }
    try await writer.removeTemporary()
    // PostgreSQL plans by the number of rows that ANALYZE counted. A server runs it by itself, some time after it was filled.
    PlainHub(try PostgresAddress(address)).ask("VACUUM ANALYZE")
    return ids
  }

  /// Has a store write a session of ten entries, and returns the commit that the hub got of it.
  private func bytesOfSession(_ shop: HubShop, _ hub: PostgresHub) async throws -> [UInt8] {
    let writer = try await shop.sharedStore(at: address)
    let session = try await writer.createSession(title: "The first ship")
    try await session.append(shop.material.texts(Self.entries).map { .response($0) })
    try await writer.removeTemporary()
    guard let bytes = try await HubShop.versions(of: session.id, in: hub).last?.bytes else {
      throw KeepsakeError(.inputOutput, "The hub has not got what a store appended.")
    }
    return bytes
  }

  /// The offer of a session with the bytes of another one. Each tenth has a tag that is common.
  private static func offer(_ number: Int, _ bytes: [UInt8]) -> HubOffer {
    var terms: Set<HubTerm> = [
      HubTerm(.artifact, "\(number)"), HubTerm(.tool, "tool \(number % 50)"),
    ]
    if number % 10 == 0 {
      terms.formUnion([HubTerm(.tag, "common"), HubTerm(.sessionTag, "common")])
    }
    return HubOffer(
      session: UUID(), base: nil, stamp: UUID(), bytes: bytes,
      listing: HubListing(
        place: .listed(updated: Int64(number) * 1_000_000), replaced: .all, terms: terms))
  }
}
