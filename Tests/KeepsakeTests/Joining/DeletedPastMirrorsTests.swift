import Foundation
import Testing

@testable import Keepsake

/// A store that revises or erases something in a session, and then deletes the session, changes forks in other stores, too. These tests
/// delete sessions of which another store has a fork that was never told to the hub.
@Suite struct `What was done to a session before it was deleted` {
  /// The ways of the store that deletes the session: it has made a fork of the session or not, and syncs right before the deletion or not.
  enum Before: CaseIterable {
    case nothing, fork, sync, forkAndSync
    var forks: Bool { self == .fork || self == .forkAndSync }
    var syncs: Bool { self == .sync || self == .forkAndSync }
  }

  /// The ways of the store whose fork the hub does not know: it deletes the session, too, appends to the session, or leaves it alone.
  enum Elsewhere: CaseIterable { case nothing, delete, append }

  private static let secret = "SECRET-\(UUID().uuidString)"
  private static let picture = Array("a secret picture \(UUID().uuidString)".utf8)

  @Test(arguments: Before.allCases, Elsewhere.allCases)
  func `reaches forks that the hub has not got: what was erased stays erased`(
    before: Before, elsewhere: Elsewhere
  ) async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", Self.secret, "Three."] { try await session.append(.prompt(text)) }
      try await session.attach(.init(.bytes(Self.picture)), to: 2)
      try await mirrors.sync()
      let there = try await mirrors.second.session(session.id)
      let fork = try await there.fork(before: 3)
      try await fork.append(.response("Of the fork."))
      switch elsewhere {
      case .nothing: break
      case .delete: try await mirrors.second.deleteSession(session.id)
      case .append: try await there.append(.response("Said elsewhere."))
      }
      if before.forks { _ = try await session.fork(before: 1) }
      // The other stores never had what the entry said in between.
      try await session.revise(1, to: .prompt("\(Self.secret), revised."))
      try await session.erase(1)
      try await session.erase(try #require(try await session.attachments().first))
      if before.syncs { try await mirrors.first.sync() }
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.first.sync()
      try await mirrors.sync()
      try await mirrors.sync()
      #expect(try !mirrors.finds(Self.secret) && !mirrors.finds(Self.picture))
      try await mirrors.requireSame()
      #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0])
      for store in mirrors.stores {
        let fork = try await store.session(fork.id)
        let texts = try await fork.entries(last: 10).map(\.text)
        #expect(texts == ["One.", "", "Three.", "Of the fork."])
        #expect(try await fork.attachments().map(\.state) == [.erased])
      }
      try await mirrors.requireInStep()
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  @Test(arguments: Before.allCases)
  func `reaches forks in two stores, of which the hub has got neither`(before: Before) async throws
  {
    try await Mirrors.make(3) { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", Self.secret, "Three."] { try await session.append(.prompt(text)) }
      try await mirrors.sync()
      var forks: [UUID] = []
      for (index, position) in [(1, 3), (2, 2)] {
        let fork = try await mirrors.stores[index].session(session.id).fork(before: position)
        try await fork.append(.response("Of the fork."))
        forks.append(fork.id)
      }
      if before.forks { _ = try await session.fork(before: 1) }
      try await session.erase(1)
      if before.syncs { try await mirrors.first.sync() }
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.first.sync()
      for _ in 0..<3 { try await mirrors.sync() }
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireSame()
      #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0])
      for store in mirrors.stores {
        let texts = try await store.session(forks[0]).entries(last: 10).map(\.text)
        #expect(texts == ["One.", "", "Three.", "Of the fork."])
        #expect(
          try await store.session(forks[1]).entries(last: 10).map(\.text) == [
            "One.", "", "Of the fork.",
          ])
      }
      try await mirrors.requireInStep()
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// The fork that the second store makes of the session. A common one shares the entry that the first store erases. An own one shares an entry
  /// of the second store alone, too. The hub knows an untold fork only after it knows of the deletion.
  enum Fork: CaseIterable {
    case none, common, commonUntold, own, ownUntold

    var position: Int? {
      switch self {
      case .none: nil
      case .common, .commonUntold: 2
      case .own, .ownUntold: 3
      }
    }

    var isTold: Bool { self == .common || self == .own }
  }

  /// The changes that the first store makes before it deletes the session.
  enum Here: CaseIterable { case erases, appendsAndErases, appends }

  /// A store changes a session and deletes the session. Another store has written to the session before, and told the hub.
  /// - Parameters:
  ///   - here: The changes of the store that deletes the session.
  ///   - isShared: Whether that store has a fork.
  ///   - elsewhere: The fork of the other store.
  @Test(arguments: Here.allCases.flatMap { [($0, false), ($0, true)] }, Fork.allCases)
  func `reaches a session that went on elsewhere: what was erased stays erased`(
    _ deleter: (here: Here, isShared: Bool), elsewhere: Fork
  ) async throws {
    let (here, isShared) = deleter
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      try await session.attach(.init(.bytes(Self.picture)), to: 1)
      let mine = isShared ? try await session.fork(before: 2) : nil
      try await mirrors.sync()
      let there = try await mirrors.second.session(session.id)
      try await there.append(.response("Said elsewhere."))
      if !elsewhere.isTold { try await mirrors.second.sync() }
      var theirs: Session?
      if let position = elsewhere.position { theirs = try await there.fork(before: position) }
      if elsewhere.isTold { try await mirrors.second.sync() }
      if here != .erases { try await session.append(.prompt("Said here.")) }
      if here == .appendsAndErases { try await session.erase(2) }
      if here != .appends {
        try await session.erase(0)
        try await session.erase(try #require(try await session.attachments().first))
      }
      try await mirrors.first.deleteSession(session.id)
      for _ in 0..<3 { try await mirrors.sync() }
      try await mirrors.requireSame()
      #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0])
      let isErased = here != .appends
      if isErased {
        #expect(try !mirrors.finds(Self.secret) && !mirrors.finds(Self.picture))
        try await mirrors.requireErased()
      }
      let texts = [isErased ? "" : Self.secret, "Two.", "Said elsewhere."]
      for store in mirrors.stores {
        for (fork, count) in [(mine, 2), (theirs, elsewhere.position ?? 0)] {
          guard let fork else { continue }
          let shown = try await store.session(fork.id)
          #expect(try await shown.entries(last: 10).map(\.text) == Array(texts.prefix(count)))
          #expect(try await shown.attachments().map(\.state) == [isErased ? .erased : .present])
        }
      }
      try await mirrors.requireInStep()
      try await mirrors.requireSoundHub()
    }
  }

  /// Makes a session of two entries that two stores have, and maybe a fork of both entries.
  private static func begin(in mirrors: Mirrors, isShared: Bool) async throws -> (
    session: Session, fork: Session?
  ) {
    let session = try await mirrors.first.createSession()
    for text in [secret, "Two."] { try await session.append(.prompt(text)) }
    let fork = isShared ? try await session.fork(before: 2) : nil
    try await mirrors.sync()
    return (session, fork)
  }

  /// The first store erases something in a session, and may delete the session. Earlier the second store has forked and deleted the session, and
  /// told the hub. The second store may have written to the session before, so that the fork shares an entry that the first store lacks.
  @Test(arguments: [false, true].flatMap { [($0, false), ($0, true)] }, [false, true])
  func `reaches a session that the hub knows to be deleted: what was erased stays erased`(
    _ eraser: (isShared: Bool, deletes: Bool), goesOn: Bool
  ) async throws {
    let (isShared, deletes) = eraser
    try await Mirrors.make { mirrors in
      let (session, mine) = try await Self.begin(in: mirrors, isShared: isShared)
      let there = try await mirrors.second.session(session.id)
      if goesOn { try await there.append(.response("Said elsewhere.")) }
      let theirs = try await there.fork(before: goesOn ? 3 : 2)
      try await mirrors.second.deleteSession(session.id)
      try await mirrors.second.sync()
      try await session.erase(0)
      if deletes { try await mirrors.first.deleteSession(session.id) }
      for _ in 0..<3 { try await mirrors.sync() }
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireSame()
      let texts = ["", "Two.", "Said elsewhere."]
      for store in mirrors.stores {
        for (fork, count) in [(mine, 2), (theirs, goesOn ? 3 : 2)] {
          guard let fork else { continue }
          let shown = try await store.session(fork.id).entries(last: 10).map(\.text)
          #expect(shown == Array(texts.prefix(count)))
        }
      }
      try await mirrors.requireInStep()
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// The first store has erased something in a session that the second store forked and deleted. The first store may have a fork of it.
  @Test(arguments: [false, true])
  func `is no reason to hide the deletion from those who observe the store`(isShared: Bool)
    async throws
  {
    try await Mirrors.make { mirrors in
      let (session, _) = try await Self.begin(in: mirrors, isShared: isShared)
      let there = try await mirrors.second.session(session.id)
      try await there.append(.response("Said elsewhere."))
      _ = try await there.fork(before: 3)
      try await mirrors.second.deleteSession(session.id)
      try await mirrors.second.sync()
      try await session.erase(0)
      let events = mirrors.first.events
      let report = try await mirrors.first.sync()
      #expect(report.removed == [session.id])
      let last = try await mirrors.first.createSession()
      var deleted: [UUID] = []
      for await event in events {
        if case .deleted(let id) = event { deleted.append(id) }
        if case .created(let id) = event, id == last.id { break }
      }
      #expect(deleted == [session.id])
    }
  }

  /// The hub keeps nothing of a deleted session without forks, so no later version of the session can build on an earlier one.
  @Test func `is not told to a hub by a store that wrote to the session and has no fork`()
    async throws
  {
    try await Mirrors.make { mirrors in
      let (session, _) = try await Self.begin(in: mirrors, isShared: false)
      let there = try await mirrors.second.session(session.id)
      try await there.append(.response("Said elsewhere."))
      try await session.erase(0)
      try await mirrors.first.deleteSession(session.id)
      for _ in 0..<2 { try await mirrors.sync() }
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireSame()
      try await mirrors.requireInStep()
      try await mirrors.requireSoundHub()
    }
  }

  /// Two stores wrote to a session, and one of them forked and deleted the session. The other store has to end with the same past of the
  /// session, because later erasures go on from that past.
  @Test func `is the same in all stores, whoever wrote to the session`() async throws {
    try await Mirrors.make(3) { mirrors in
      let (session, _) = try await Self.begin(in: mirrors, isShared: false)
      try await session.append(.response("Said here."))
      let there = try await mirrors.second.session(session.id)
      let fork = try await there.fork(before: 1)
      try await there.append(.response("Said elsewhere."))
      try await mirrors.second.deleteSession(session.id)
      for index in [2, 1, 0] { try await mirrors.stores[index].sync() }
      for _ in 0..<2 { try await mirrors.sync() }
      try await mirrors.requireSame()
      try await mirrors.first.session(fork.id).erase(0)
      for _ in 0..<2 { try await mirrors.sync() }
      #expect(try await mirrors.second.session(fork.id).entry(at: 0).isErased)
      try await mirrors.requireSame()
      try await mirrors.requireInStep()
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// A new title makes a new version at the hub, and no change in the session's chain.
  @Test
  func `reaches a fork of a session that was renamed elsewhere: what was erased stays erased`()
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      try await mirrors.sync()
      let there = try await mirrors.second.session(session.id)
      try await there.rename("Another title")
      try await mirrors.second.sync()
      let fork = try await there.fork(before: 2)
      try await session.erase(0)
      try await mirrors.first.deleteSession(session.id)
      for _ in 0..<3 { try await mirrors.sync() }
      try await mirrors.requireSame()
      for store in mirrors.stores {
        let texts = try await store.session(fork.id).entries(last: 10).map(\.text)
        #expect(texts == ["", "Two."])
      }
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireInStep()
      try await mirrors.requireSoundHub()
    }
  }

  /// The hub has damaged bytes in the place of what another store wrote to the session.
  @Test(arguments: [false, true])
  func `does not keep the session, although the hub's versions of it are damaged`(isShared: Bool)
    async throws
  {
    try await Mirrors.make { mirrors in
      let (session, mine) = try await Self.begin(in: mirrors, isShared: isShared)
      let there = try await mirrors.second.session(session.id)
      for text in ["Three.", "Four."] {
        try await there.append(.response(text))
        try await mirrors.second.sync()
      }
      let hub = try await FolderHub.open(at: mirrors.folder.path)
      let old = try #require(
        try await hub.versions(of: session.id, after: 1, bytes: 0).versions.first)
      #expect(
        try await hub.rewrite(old.version, of: session.id, stamp: old.stamp, as: [1, 2, 3]))
      try await session.erase(0)
      try await mirrors.first.deleteSession(session.id)
      var removed: Set<UUID> = []
      for _ in 0..<3 {
        for report in try await mirrors.sync() { removed.formUnion(report.removed) }
      }
      #expect(removed == [session.id])
      for store in mirrors.stores {
        await #expect(throws: KeepsakeError.self) { try await store.session(session.id) }
        if let mine { #expect(try await store.session(mine.id).count() == 2) }
      }
      #expect(try await mirrors.first.membership()?.aside == [])
    }
  }

  @Test(arguments: Before.allCases)
  func `is no change of what forks share: they have what an entry said before it was revised`(
    before: Before
  ) async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two.", "Three."] { try await session.append(.prompt(text)) }
      try await mirrors.sync()
      let fork = try await mirrors.second.session(session.id).fork(before: 3)
      try await fork.append(.response("Of the fork."))
      if before.forks { _ = try await session.fork(before: 1) }
      try await session.revise(1, to: .prompt("Two, revised."))
      if before.syncs { for index in [0, 2] { try await mirrors.stores[index].sync() } }
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.first.sync()
      for index in [1, 2, 0, 1, 2] { try await mirrors.stores[index].sync() }
      try await mirrors.requireSame()
      #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0])
      for store in mirrors.stores {
        let texts = try await store.session(fork.id).entries(last: 10).map(\.text)
        #expect(texts == ["One.", "Two.", "Three.", "Of the fork."])
        #expect(try await store.membership()?.aside == [])
      }
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// Two stores fork a session: the second store before an entry of the session is revised, the third store after the entry was revised. The
  /// first store deletes the session before the hub is told of the forks. Each fork has to show the entry as the entry was when the fork was
  /// made.
  @Test(arguments: [[1, 2], [2, 1]])
  func `is known to each fork that was made after it`(order: [Int]) async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two.", "Three."] { try await session.append(.prompt(text)) }
      try await session.attach(.init(.bytes(Self.picture)), to: 2)
      try await mirrors.sync()
      let before = try await mirrors.stores[1].session(session.id).fork(before: 3)
      try await before.append(.response("From before."))
      try await session.revise(1, to: .prompt("Two, revised."))
      let picture = try #require(try await session.attachments().first)
      try await session.caption(picture, "A picture, captioned.")
      try await mirrors.first.sync()
      try await mirrors.stores[2].sync()
      let after = try await mirrors.stores[2].session(session.id).fork(before: 3)
      try await after.append(.response("From after."))
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.first.sync()
      for index in order { try await mirrors.stores[index].sync() }
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0])
      for store in mirrors.stores {
        let texts = try await store.session(before.id).entries(last: 10).map(\.text)
        #expect(texts == ["One.", "Two.", "Three.", "From before."])
        let revised = try await store.session(after.id).entries(last: 10).map(\.text)
        #expect(revised == ["One.", "Two, revised.", "Three.", "From after."])
        let shown = try await store.session(after.id).attachments()
        #expect(shown.map(\.caption) == ["A picture, captioned."])
      }
      try await mirrors.requireInStep()
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// The connection of a store is cut in the middle of a sync that deletes a session. Other sessions come with the same sync, before and after
  /// the deleted one.
  @Test(arguments: 1...16)
  func `leaves a store sound, wherever the connection is cut`(call: Int) async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", Self.secret, "Three."] { try await session.append(.prompt(text)) }
      try await session.attach(.init(.bytes(Self.picture)), to: 1)
      try await mirrors.sync()
      let there = try await mirrors.second.session(session.id)
      let fork = try await there.fork(before: 3)
      try await fork.append(.response("Of the fork."))
      _ = try await session.fork(before: 1)
      for _ in 0..<8 { _ = try await mirrors.first.createSession() }
      try await session.erase(1)
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.first.sync()
      let cut = InterruptedHub.address(mirrors.address, counting: .before) { number in
        if number >= call { throw InterruptedHub.cut }
      }
      _ = try? await mirrors.second.sync(with: cut)
      try await mirrors.second.requireSound()
      #expect(try OtherVerifier.statuses([mirrors.second.url]) == [0])
      try await mirrors.sync()
      #expect(try !mirrors.finds(Self.secret) && !mirrors.finds(Self.picture))
      try await mirrors.requireSame()
      #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0])
      let texts = try await mirrors.first.session(fork.id).entries(last: 10).map(\.text)
      #expect(texts == ["One.", "", "Three.", "Of the fork."])
      try await mirrors.requireErased()
    }
  }
}
