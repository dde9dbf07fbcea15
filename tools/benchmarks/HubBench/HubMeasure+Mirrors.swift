import Foundation
import Keepsake
import KeepsakeBenchReport
import KeepsakeFiles
import KeepsakePostgres

extension HubMeasure {
  static let firstJoin = HubMeasure(
    names: [
      "first join of a mirror, bytes from the hub against bytes of the data",
      "sync of a mirror that finds nothing new, with an open hub",
    ], isCounted: true, run: measureFirstJoin)

  private static func measureFirstJoin(_ shop: HubShop, _ names: [String]) async throws -> [Row] {
    let address = try await shop.newSpace()
    try await fill(address, shop, sessions: shop.isQuick ? 1000 : 10_000)
    let hub = try await PostgresHub.open(at: address)
    var data = 0
    for head in try await hub.directory().heads {
      data += try await HubShop.versions(of: head.session, in: hub).reduce(0) {
        $0 + $1.bytes.count
      }
    }
    await hub.close()

    let relay = try CountingRelay(to: shop.address)
    defer { relay.close() }
    let store = try await Store(at: shop.place("mirror.keepsake"))
    let relayed = try HubAddress.postgres(relay.address(of: try PostgresAddress(address)))
    try await store.join(relayed)
    let counts = Locked<[CountingRelay.Counts]>([relay.counts])
    do {
      try await store.keepInStep(with: relayed, every: .milliseconds(100)) { report in
        _ = try report.get()
        counts.withLock { $0.append(relay.counts) }
        // The first sync takes everything over, and the others find nothing new.
        if counts.withLock({ $0.count }) == 6 { throw Enough() }
      }
    } catch is Enough {}
    try await store.removeTemporary()
    let found = counts.withLock { $0 }
    let first = found[1].fromServer - found[0].fromServer
    let later = zip(found.dropFirst(2), found.dropFirst()).map { $0.roundTrips - $1.roundTrips }
    return [
      Row(
        names[0], value: Double(first) / 1e6, yardstick: Double(data) / 1e6,
        ratio: Double(first) / Double(data), unit: "MB", goal: .ratioAtMost(1.2)),
      Row(names[1], value: Double(later.max() ?? 0), unit: "round trips", goal: .valueAtMost(3)),
    ]
  }

  /// An error that ends the syncing, which would go on for ever.
  private struct Enough: Error {}

  /// Tells a hub sessions of ten entries.
  private static func fill(_ address: String, _ shop: HubShop, sessions: Int) async throws {
    let address = try HubAddress.postgres(address)
    let store = try await Store(
      at: shop.place("filler.keepsake"), joining: address, as: .mirror)
    for number in 0..<sessions {
      let session = try await store.createSession(title: "Conversation \(number)")
      try await session.append(shop.material.texts(10).map { .response($0) })
    }
    let report = try await store.sync(with: address)
    guard report.sent.count == sessions else {
      throw KeepsakeError(.inputOutput, "The hub was told of other sessions than there are.")
    }
    try await store.removeTemporary()
  }
}

// MARK: - Against a store that joined no hub

extension HubMeasure {
  static let mirrorAppend = HubMeasure(names: [
    "append to a mirror, p50, against a store without a hub"
  ]) {
    shop, names in
    try await withMirror(shop) { mirror, bare in
      let texts = shop.material.texts(200)
      let (ours, theirs) = (try await mirror.createSession(), try await bare.createSession())
      func p50(_ session: Session, _ store: Store) async throws -> Double {
        let samples = try await microseconds(of: texts.count) { index in
          try await session.append(.response(texts[index]))
        }
        // Otherwise the texts would be indexed while the other store is measured.
        try await store.indexForSearch()
        return samples.median
      }
      for _ in 0..<4 {
        _ = try await p50(ours, mirror)
        _ = try await p50(theirs, bare)
      }
      let comparison = try await Comparison.rounds(4 * shop.rounds) {
        try await p50(ours, mirror)
      } against: {
        try await p50(theirs, bare)
      }
      return [Row(names[0], comparison, unit: "µs", goal: .ratioAtMost(1.25))]
    }
  }

  static let mirrorReading = HubMeasure(
    names: ["reading 200 entries of a mirror, against a store without a hub"]
  ) { shop, names in
    try await withMirror(shop) { mirror, bare in
      let texts = shop.material.texts(200)
      var sessions: [Session] = []
      for store in [mirror, bare] {
        let session = try await store.createSession()
        try await session.append(texts.map { .response($0) })
        try await store.indexForSearch()
        sessions.append(session)
      }
      for session in sessions { _ = try await reading(session, texts.count) }
      let comparison = try await Comparison.rounds(16 * shop.rounds) {
        try await reading(sessions[0], texts.count)
      } against: {
        try await reading(sessions[1], texts.count)
      }
      return [Row(names[0], comparison, unit: "µs", goal: .ratioAtMost(1.02))]
    }
  }

  /// The median time of reading a session.
  private static func reading(_ session: Session, _ count: Int) async throws -> Double {
    try await microseconds(of: 50) { _ in
      guard try await session.entries.all().count == count else {
        throw KeepsakeError(.inputOutput, "A session was read that has other entries.")
      }
    }.median
  }

  /// Makes a store that mirrors a hub and is in step with it, and a store that joined none.
  private static func withMirror<Result>(
    _ shop: HubShop, _ body: (_ mirror: Store, _ bare: Store) async throws -> Result
  ) async throws -> Result {
    let address = try HubAddress.postgres(try await shop.newSpace())
    let mirror = try await Store(
      at: shop.place("mirror.keepsake"), joining: address, as: .mirror)
    try await mirror.sync(with: address)
    let bare = try await Store(at: shop.place("bare.keepsake"))
    let result = try await body(mirror, bare)
    for store in [mirror, bare] { try await store.removeTemporary() }
    return result
  }
}
