import Foundation
import Testing

@testable import Keepsake

/// A store forks a session at a change that only this store has, and deletes the session. Another store wrote to the session before that. The
/// fork has to come to that store, with all that the fork shares.
@Suite struct `A fork of what only the store had that deleted the session` {
  /// The changes and forks of the store that deletes the session. In each case the store appends an entry and forks the session.
  enum Here: CaseIterable {
    case forks
    /// The fork has a fork.
    case forksTwice
    /// The fork has a fork, and is deleted.
    case forksTwiceAndDeletesFork
    /// The fork was made of the newest change, and shares no entry that only this store has.
    case forksEarlier
    /// An entry that both stores have is erased before the fork is made, or after that.
    case erasesAndForks, forksAndErases
    /// The entry that only this store has is erased after the fork is made.
    case forksAndErasesOwn
    /// There is another fork, of what both stores have, and the hub may know it.
    case forksCommon, forksCommonTold
  }

  /// The changes of the other store, which tells the hub before the store that deletes the session. In each case the other store first appends
  /// an entry.
  enum Elsewhere: CaseIterable {
    case appends, forks, erases, deletes, forksAndDeletes
  }

  private static let secret = "SECRET-\(UUID().uuidString)"
  private static let picture = Array("a secret picture \(UUID().uuidString)".utf8)

  @Test(arguments: Here.allCases, Elsewhere.allCases)
  func `comes to the other store`(here: Here, elsewhere: Elsewhere) async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      try await session.attach(.init(.bytes(Self.picture)), to: 0)
      let told = here == .forksCommonTold ? try await session.fork(before: 2) : nil
      try await mirrors.sync()
      let theirs = try await Self.change(session.id, elsewhere, in: mirrors.second)
      try await mirrors.second.sync()
      var forks = try await Self.change(session, here, in: mirrors.first)
      try await mirrors.first.deleteSession(session.id)
      for _ in 0..<3 { try await mirrors.sync() }
      try await mirrors.requireSame()
      #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0])
      let isErased = elsewhere == .erases || here == .erasesAndForks || here == .forksAndErases
      let first = isErased ? "" : Self.secret
      if let told { forks.append((told.id, [Self.secret, "Two."])) }
      if let theirs { forks.append((theirs, [Self.secret, "Two.", "Said elsewhere."])) }
      for store in mirrors.stores {
        await #expect(throws: KeepsakeError.self) { try await store.session(session.id) }
        #expect(try await store.membership()?.aside == [])
        for (fork, texts) in forks {
          let shown = try await store.session(fork)
          #expect(try await shown.entries(last: 10).map(\.text) == [first] + texts.dropFirst())
          #expect(try await shown.attachments().map(\.state) == [isErased ? .erased : .present])
        }
      }
      if isErased {
        #expect(try !mirrors.finds(Self.secret) && !mirrors.finds(Self.picture))
        try await mirrors.requireErased()
      }
      try await mirrors.requireInStep()
      try await mirrors.requireSoundHub()
    }
  }

  /// The connection of the store that deleted the session is cut in the middle of the sync that brings both sides together.
  @Test(arguments: 1...24, [Elsewhere.forks, .forksAndDeletes])
  func `comes to the other store, wherever the connection is cut`(call: Int, elsewhere: Elsewhere)
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      try await mirrors.sync()
      let theirs = try await Self.change(session.id, elsewhere, in: mirrors.second)
      try await mirrors.second.sync()
      let forks = try await Self.change(session, .forksTwice, in: mirrors.first)
      try await mirrors.first.deleteSession(session.id)
      let cut = InterruptedHub.address(mirrors.address, counting: .before) { number in
        if number >= call { throw InterruptedHub.cut }
      }
      _ = try? await mirrors.first.sync(with: cut)
      try await mirrors.first.requireSound()
      #expect(try OtherVerifier.statuses([mirrors.first.url]) == [0])
      for _ in 0..<3 { try await mirrors.sync() }
      try await mirrors.requireSame()
      for (fork, texts) in forks + [
        (try #require(theirs), [Self.secret, "Two.", "Said elsewhere."])
      ] {
        for store in mirrors.stores {
          #expect(try await store.session(fork).entries(last: 10).map(\.text) == texts)
        }
      }
      try await mirrors.requireInStep()
      try await mirrors.requireSoundHub()
    }
  }

  /// Three stores write to a session. Two of them make a fork of what they wrote, and delete the session.
  @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 0, 1], [2, 1, 0]])
  func `comes to all stores, although two of them delete the session`(order: [Int]) async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await mirrors.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      try await mirrors.sync()
      var forks: [(UUID, [String])] = []
      for store in mirrors.stores.prefix(2) {
        forks += try await Self.change(store.session(session.id), .forks, in: store)
        try await store.deleteSession(session.id)
      }
      let last = try await mirrors.stores[2].session(session.id)
      try await last.append(.response("Said elsewhere."))
      forks.append((try await last.fork(before: 3).id, [Self.secret, "Two.", "Said elsewhere."]))
      for _ in 0..<3 { for index in order { try await mirrors.stores[index].sync() } }
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0])
      for store in mirrors.stores {
        #expect(try await store.membership()?.aside == [])
        for (fork, texts) in forks {
          #expect(try await store.session(fork).entries(last: 10).map(\.text) == texts)
        }
      }
      try await mirrors.requireInStep()
      try await mirrors.requireSoundHub()
    }
  }

  /// An answer streams into the fork while the store syncs. The session waits until the answer has ended.
  @Test func `comes to the other store once the answer that streams into it has ended`()
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      try await mirrors.sync()
      let theirs = try #require(try await Self.change(session.id, .forks, in: mirrors.second))
      try await mirrors.second.sync()
      let (id, texts) = try await Self.change(session, .forks, in: mirrors.first)[0]
      try await mirrors.first.deleteSession(session.id)
      let fork = try await mirrors.first.session(id)
      let draft = try await fork.draft(.response)
      let report = try await mirrors.first.sync()
      #expect(Set(report.aside.map(\.session)) == [session.id, theirs])
      draft.append("An answer.")
      try await draft.finish()
      for _ in 0..<3 { try await mirrors.sync() }
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.membership()?.aside == [])
        #expect(
          try await store.session(id).entries(last: 10).map(\.text) == texts + ["An answer."])
        #expect(try await store.session(theirs).count() == 3)
      }
      try await mirrors.requireInStep()
    }
  }

  /// Makes the changes of the store that deletes the session, and returns its forks, each with the texts that the fork has to show.
  private static func change(
    _ session: Session, _ here: Here, in store: Store
  ) async throws -> [(UUID, [String])] {
    if here == .forksCommon { _ = try await session.fork(before: 2) }
    try await session.append(.response("Said here."))
    if here == .erasesAndForks { try await session.erase(0) }
    let count = here == .forksEarlier ? 1 : 3
    let fork = try await session.fork(before: count)
    try await fork.append(.response("Of the fork."))
    var texts = Array([secret, "Two.", "Said here."].prefix(count))
    if here == .forksAndErases { try await session.erase(0) }
    if here == .forksAndErasesOwn {
      try await session.erase(2)
      texts[2] = ""
    }
    var forks = [(fork.id, texts + ["Of the fork."])]
    if here == .forksTwice || here == .forksTwiceAndDeletesFork {
      let second = try await fork.fork(before: count + 1)
      try await second.append(.response("Of its fork."))
      forks.append((second.id, texts + ["Of the fork.", "Of its fork."]))
    }
    if here == .forksTwiceAndDeletesFork {
      try await store.deleteSession(fork.id)
      forks.removeFirst()
    }
    return forks
  }

  /// Makes the changes of the other store, and returns its fork, if it makes one.
  private static func change(
    _ session: UUID, _ elsewhere: Elsewhere, in store: Store
  ) async throws -> UUID? {
    let there = try await store.session(session)
    try await there.append(.response("Said elsewhere."))
    if elsewhere == .erases { try await there.erase(0) }
    let forks = elsewhere == .forks || elsewhere == .forksAndDeletes
    let fork = forks ? try await there.fork(before: 3).id : nil
    if elsewhere == .deletes || elsewhere == .forksAndDeletes {
      try await store.sync()
      try await store.deleteSession(session)
    }
    return fork
  }
}
