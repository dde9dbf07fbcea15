import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Stores that write to the same few sessions, fork them and delete them between syncs, so that most pasts part before a deletion.
@Suite struct `Stores that fork and delete the same sessions` {
  @Test(arguments: RandomHistory.seeds)
  func `come to have the same, and each fork that nobody deleted`(seed: UInt64) async throws {
    try await Mirrors.make(3) { mirrors in
      var family = RandomFamily(seed: seed)
      var pasts = HubPasts()
      var told: Comment { "seed \(seed):\n\(family.deeds.joined(separator: "\n"))" }
      for _ in 0..<max(1, RandomHistory.steps / 40) {
        for (index, store) in mirrors.stores.enumerated() {
          for _ in 0..<Int.random(in: 0...4, using: &family.random) {
            try await family.step(on: store, index)
          }
        }
        for index in mirrors.stores.indices.shuffled(using: &family.random) {
          if Int.random(in: 0..<3, using: &family.random) == 0 { continue }
          let report = try await mirrors.stores[index].sync()
          family.deeds.append("sync of store \(index)")
          for aside in report.aside {
            family.deeds.append("store \(index) leaves \(aside.session) aside: \(aside.reason)")
          }
          try #require(report.failed.isEmpty, told)
          try await pasts.read(mirrors, told)
        }
      }
      var reports: [SyncReport] = []
      for _ in 0..<4 {
        reports = try await mirrors.sync()
        try await pasts.read(mirrors, told)
      }
      try #require(
        reports.allSatisfy { $0.failed.isEmpty && $0.aside.isEmpty && $0.sent.isEmpty },
        "\(reports) \(told)")
      try await mirrors.requireSame(told)
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub(told)
      #expect(
        try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0], told)
      for store in mirrors.stores {
        #expect(try await store.membership()?.waiting == 0, told)
        let shown = Set(try await store.sessions(.init(), limit: 1000).sessions.map(\.id))
        #expect(family.forks.subtracting(family.deleted).subtracting(shown) == [], told)
      }
    }
  }
}

/// Writes to sessions at random, and remembers which forks have to be there in the end.
private struct RandomFamily {
  var random: SeededGenerator
  var deeds: [String] = []
  /// The forks that stores made.
  private(set) var forks: Set<UUID> = []
  /// The sessions that stores deleted.
  private(set) var deleted: Set<UUID> = []
  private var count = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Does one thing to a random session of a store.
  mutating func step(on store: Store, _ index: Int) async throws {
    let shown = try await store.sessions(.init(), limit: 100).sessions.map(\.id).sorted {
      $0.uuidString < $1.uuidString
    }
    count += 1
    guard shown.count > 1 || Int.random(in: 0..<3, using: &random) > 0, !shown.isEmpty else {
      let session = try await store.createSession()
      for text in ["One \(count).", "Two \(count)."] { try await session.append(.prompt(text)) }
      return note(index, "makes \(session.id)")
    }
    let session = try await store.session(shown[Int.random(in: 0..<shown.count, using: &random)])
    let entries = try await session.entries.all()
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<8:
      try await session.append(.prompt("Said \(count)."))
      note(index, "appends to \(session.id)")
    case 8..<13:
      let fork = try await session.fork(before: Int.random(in: 0...entries.count, using: &random))
      if Bool.random(using: &random) { try await fork.append(.prompt("Forked \(count).")) }
      forks.insert(fork.id)
      note(index, "forks \(session.id) to \(fork.id)")
    case 13..<16:
      try await store.deleteSession(session.id)
      deleted.insert(session.id)
      note(index, "deletes \(session.id)")
    case 16 where !entries.isEmpty:
      let bytes = Array("picture \(count)".utf8)
      try await session.attach(
        .init(.bytes(bytes)), to: Int.random(in: 0..<entries.count, using: &random))
      note(index, "attaches to \(session.id)")
    case 17..<19:
      guard let place = entries.indices.randomElement(using: &random) else { return }
      try await session.erase(place)
      note(index, "erases entry \(place) of \(session.id)")
    default:
      guard let place = entries.indices.randomElement(using: &random),
        !entries[place].isErased
      else { return }
      do { try await session.revise(place, to: .prompt("Revised \(count).")) } catch let error
        as KeepsakeError where error.code == .conflict
      { return }
      note(index, "revises entry \(place) of \(session.id)")
    }
  }

  private mutating func note(_ store: Int, _ deed: String) {
    deeds.append("store \(store) \(deed)")
  }
}
