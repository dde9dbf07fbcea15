import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// A hub keeps of a deleted session what forks need, and nothing else, whoever made the forks.
@Suite struct `What forks need of a session that was deleted in a store that joined a hub` {
  private static let secret = "SECRET-\(UUID().uuidString)"
  private static let picture = Array("a secret picture \(UUID().uuidString)".utf8)

  /// The hub's answer to a deletion is lost. The only fork that needs some of the session is deleted before the next sync.
  @Test func `leaves the hub with the last fork that needs it, also after a lost answer`()
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(
        .prompt(Self.secret), attaching: [.init(.bytes(Self.picture))])
      try await mirrors.sync()
      let fork = try await session.fork(before: 1)
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.tellDeletion(of: session.id)
      #expect(try mirrors.finds(Self.secret))
      try await mirrors.first.deleteSession(fork.id)
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try !mirrors.finds(Self.secret) && !mirrors.finds(Self.picture))
      for store in mirrors.stores { #expect(try await store.membership()?.waiting == 0) }
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// Two forks share the same entries of a deleted session. The later one also shows what was attached to these entries after the earlier
  /// one was made, which a store that knows the earlier one alone removed with the session.
  @Test func `comes again where a later fork shows an attachment of it`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two."] { try await session.append(.prompt(text)) }
      let early = try await session.fork(before: 2)
      try await session.attach(.init(.bytes(Self.picture)), to: 1)
      try await mirrors.sync()
      let late = try await session.fork(before: 2)
      try await mirrors.second.deleteSession(session.id)
      try await mirrors.second.sync()
      #expect(try !mirrors.finds(Self.picture))
      try await mirrors.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.membership()?.aside == [])
        #expect(try await store.session(early.id).entry(at: 1).attachments.count == 0)
        let shown = try await store.session(late.id).entry(at: 1).attachments
        #expect(try await shown.first?.artifact?.data() == Data(Self.picture))
      }
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// The hub knows that a session was deleted and what a fork shows of it, and does not know the fork. Another store, which has no fork of
  /// the session, must not take away what the fork shows.
  @Test func `stays where only a store needs it whose fork the hub has not got yet`() async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("One."), attaching: [.init(.bytes(Self.picture))])
      try await mirrors.sync()
      let fork = try await session.fork(before: 1)
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.tellDeletion(of: session.id)
      for store in mirrors.stores.dropFirst() {
        try await store.sync()
        await #expect(throws: KeepsakeError.self) { try await store.session(session.id) }
        // The store keeps the picture on its list, and removes the picture from the hub once no fork needs it.
        #expect(try store.handle.read { try $0.unsent.removedArtifacts() }.count == 1)
      }
      #expect(try mirrors.finds(Self.picture))
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        let shown = try await store.session(fork.id).entry(at: 0).attachments
        #expect(try await shown.first?.artifact?.data() == Data(Self.picture))
      }
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
      // Once the fork is deleted, no store needs the picture, and the hub loses it.
      try await mirrors.first.deleteSession(fork.id)
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try !mirrors.finds(Self.picture))
      try await mirrors.requireSoundHub()
    }
  }

  /// A store has offered to the hub what its forks need of a deleted session, and got no answer. Another store has erased an entry of the session
  /// through a fork. The first store erases the entry, too, although it knows already that the session was deleted.
  @Test func `loses what a fork erases, also where an offer of the session got no answer`()
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      let fork = try await session.fork(before: 2)
      try await mirrors.sync()
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.sync()
      let there = try await mirrors.second.session(fork.id)
      try await there.erase(0)
      try await mirrors.second.sync()
      #expect(try !mirrors.finds(Self.secret))
      // The first store's offer follows the version of the session in which the entry is not erased yet.
      try await mirrors.first.handle.write { change in
        let db = change.db
        let stamp = try db.hubSessions.row(session.id)?.stamp
        try db.offers.insert(.init(Sync.deletion(of: session.id, in: db), after: stamp))
      }
      try await mirrors.sync()
      try await mirrors.requireSame()
      let shown = try await mirrors.first.session(fork.id).entry(at: 0)
      #expect(shown.text != Self.secret)
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// Two stores erase different entries of a deleted session, each through a fork, before they hear of each other.
  @Test func `loses what forks erase in two stores at once`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      let texts = ["1 \(Self.secret)", "2 \(Self.secret)", "Three."]
      for text in texts { try await session.append(.prompt(text)) }
      let fork = try await session.fork(before: 3)
      try await mirrors.sync()
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.sync()
      for (store, position) in zip(mirrors.stores, 0...) {
        let here = try await store.session(fork.id)
        try await here.erase(position)
      }
      try await mirrors.sync()
      try await mirrors.sync()
      for store in mirrors.stores {
        #expect(try await store.membership()?.aside == [])
      }
      try await mirrors.requireSame()
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// Before a store removes artifacts from the hub, it reads the hub's version of each deleted session. It reads a version once if the version
  /// names no artifacts.
  @Test
  func
    `is looked for in the hub's version of a deleted session, and only once where that names nothing`()
    async throws
  {
    try await Mirrors.make { mirrors in
      for _ in 0..<3 {
        let doomed = try await mirrors.first.createSession()
        try await doomed.append(.prompt("One."))
        try await mirrors.sync()
        try await mirrors.first.deleteSession(doomed.id)
        try await mirrors.sync()
      }
      let reads = Locked(0)
      let address = mirrors.address
      let counted = HubAddress(address.description) {
        ReadCountingHub(hub: try await address.open($0), reads: reads)
      }
      func readsToRemove() async throws -> Int {
        let session = try await mirrors.first.createSession()
        try await session.append(.prompt("One."), attaching: [.init(.bytes(Self.picture))])
        try await mirrors.first.sync()
        for shown in try await session.entry(at: 0).attachments { try await session.erase(shown) }
        reads.withLock { $0 = 0 }
        try await mirrors.first.sync(with: counted)
        #expect(try !mirrors.finds(Self.picture))
        return reads.withLock { $0 }
      }
      let first = try await readsToRemove()
      #expect(try await readsToRemove() == first - 3)
      try await mirrors.sync()
      try await mirrors.requireSame()
      try await mirrors.requireSoundHub()
    }
  }
}

extension Mirrors {
  /// Has the first store tell the hub that a session was deleted, and nothing else. The answer is lost.
  fileprivate func tellDeletion(of session: UUID) async throws {
    let handle = first.handle
    let offer = try await handle.write { change in
      let db = change.db
      let commit = try Sync.deletion(of: session, in: db)
      let row = try OfferTable.Row(commit, after: db.hubSessions.row(session)?.stamp)
      try db.offers.insert(row)
      try db.unsent.forget(removal: session)
      return HubOffer(commit, writtenDownAs: row, in: handle)
    }
    let hub = try await FolderHub.open(at: folder.path)
    #expect(try await hub.commit([offer]).map(\.version) == [2])
    await hub.close()
  }
}
