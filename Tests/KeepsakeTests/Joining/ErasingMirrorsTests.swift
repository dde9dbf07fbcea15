import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// Erasing and deleting, which reach the hub's older versions.
@Suite struct `What is erased in a store that joined a hub` {
  private static let secret = "SECRET-\(UUID().uuidString)"
  private static let picture = Array("a secret picture \(UUID().uuidString)".utf8)

  @Test func `is gone from the hub, and from stores that come later`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession(title: "Ships")
      try await session.append(.prompt(Self.secret))
      try await session.append(.response("Noted."))
      try await session.attach(.init(.bytes(Self.picture)), to: 1)
      try await mirrors.sync()
      try await session.append(.prompt("It goes on."))
      try await mirrors.first.sync()
      #expect(try mirrors.finds(Self.secret))
      #expect(try mirrors.finds(Self.picture))
      let there = try await mirrors.second.session(session.id)
      #expect(try await there.count() == 2)
      try await session.erase(0)
      try await session.erase(try #require(try await session.attachments().first))
      #expect(try await mirrors.first.sync().sent == [session.id])
      #expect(try !mirrors.finds(Self.secret))
      #expect(try !mirrors.finds(Self.picture))
      #expect(try await mirrors.first.sync() == SyncReport())
      // A handle from before stays good, and the store that was away has all, and no more.
      #expect(try await mirrors.second.sync().received == [session.id])
      #expect(try await there.count() == 3)
      try await there.append(.response("It goes on there."))
      try await mirrors.sync()
      try await mirrors.requireSame()
      let late = try await Store.temporary(options: .withoutIndexing)
      try await late.join(mirrors.address)
      try await late.sync()
      #expect(try await CommitPair(first: mirrors.first, second: late).difference() == nil)
      try await late.removeTemporary()
      try await mirrors.requireErased()
    }
  }

  /// A list shows a session with the beginning of its first prompt. A hub has that beginning also in versions of forks that share the prompt.
  @Test func `is gone from what the hub says of forks in lists`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      let fork = try await session.fork(before: 1)
      try await fork.append(.prompt("Two again."))
      let nested = try await fork.fork(before: 2)
      try await nested.append(.prompt("Three."))
      try await mirrors.sync()
      try await mirrors.second.session(nested.id).append(.response("Said meanwhile."))
      try await session.erase(0)
      try await mirrors.sync()
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireSame()
      for store in mirrors.stores {
        let listed = try await store.sessions().sessions
        let previews = listed.map { $0.preview ?? "" }.sorted()
        #expect(previews == ["Two again.", "Two again.", "Two."])
        #expect(try await store.session(nested.id).count() == 4)
      }
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// A prompt that is revised stays the preview as it was first. A fork whose preview is another prompt has nothing to tell.
  @Test func `leaves the previews of forks that have another first prompt`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", Self.secret] { try await session.append(.prompt(text)) }
      let forks = [try await session.fork(before: 0), try await session.fork(before: 2)]
      for fork in forks { try await fork.append(.prompt("Of the fork.")) }
      try await forks[0].revise(0, to: .prompt("Of the fork, revised."))
      try await mirrors.sync()
      try await session.erase(1)
      #expect(try await mirrors.first.sync().sent == [session.id])
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try !mirrors.finds(Self.secret))
      for store in mirrors.stores {
        #expect(try await store.session(forks[0].id).summary().preview == "Of the fork.")
        #expect(try await store.session(forks[1].id).summary().preview == "One.")
      }
      try await mirrors.requireErased()
    }
  }

  @Test func `stays gone where others went on meanwhile`() async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", Self.secret, "Three."] { try await session.append(.prompt(text)) }
      try await mirrors.sync()
      try await session.erase(1)
      try await mirrors.stores[1].session(session.id).append(.response("Said meanwhile."))
      try await mirrors.stores[2].session(session.id).rename("A title from elsewhere")
      try await mirrors.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try !mirrors.finds(Self.secret))
      #expect(try await session.summary().title == "A title from elsewhere")
      for store in mirrors.stores { #expect(try await store.sessions().sessions.count == 2) }
      try await mirrors.requireErased()
    }
  }

  /// Once a fork of a deleted session goes, too, the hub has what the other forks need of that session, and nothing else.
  @Test func `leaves what a store that joins later needs for the other forks`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("A word for both."))
      try await session.append(.response("Here."), attaching: [.init(.bytes(Self.picture))])
      let short = try await session.fork(before: 1)
      let long = try await session.fork(before: 2)
      try await mirrors.sync()
      try await mirrors.second.deleteSession(session.id)
      try await mirrors.sync()
      #expect(try mirrors.finds(Self.picture))
      try await mirrors.first.deleteSession(long.id)
      try await mirrors.sync()
      #expect(try !mirrors.finds(Self.picture))
      try await mirrors.requireErased()
      let late = try await Store.temporary(options: .withoutIndexing)
      try await late.join(mirrors.address)
      let report = try await late.sync()
      #expect(report.failed.isEmpty && report.aside.isEmpty, "\(report)")
      #expect(try await late.session(short.id).entries.all().map(\.text) == ["A word for both."])
      #expect(try await CommitPair(first: mirrors.first, second: late).difference() == nil)
      #expect(try await Store.checkHub(at: mirrors.address, readingData: true).isSound)
      try await late.removeTemporary()
    }
  }

  @Test func `is gone, although the connection is cut again and again`() async throws {
    for seed in UInt64(0)..<12 {
      try await Mirrors.make { mirrors in
        let session = try await mirrors.first.createSession()
        for _ in 0..<4 {
          try await session.append(.prompt(Self.secret))
          try await session.attach(.init(.bytes(Self.picture)), to: 0)
          try await mirrors.first.sync()
        }
        try await mirrors.second.sync()
        for position in 0..<4 { try await session.erase(position) }
        for attachment in try await session.attachments() { try await session.erase(attachment) }
        var tries: UInt64 = 0
        while true {
          let cut = InterruptedHub.address(mirrors.address, seed: seed &* 100 &+ tries, percent: 30)
          do {
            try await mirrors.first.sync(with: cut)
            break
          } catch let error where InterruptedHub.isCut(error) {
            tries += 1
            try #require(tries < 100)
          }
        }
        try await mirrors.sync()
        #expect(try !mirrors.finds(Self.secret), "seed \(seed)")
        #expect(try !mirrors.finds(Self.picture), "seed \(seed)")
        try await mirrors.requireSame("seed \(seed)")
        try await mirrors.requireErased()
      }
    }
  }

  @Test func `leaves a session that can be read, where the hub lost the version that has it`()
    async throws
  {
    let clock = HistoryClock()
    try await Mirrors.make(options: clock.options) { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("One."))
      try await session.append(.response(Self.secret))
      try await mirrors.sync()
      try await session.erase(1)
      try await mirrors.first.sync()
      // A failover loses the version that took the place of the older ones, after these were erased.
      let files = try HubFolder.files(mirrors.folder.path).filter {
        $0.hasPrefix("session/") && $0.lowercased().contains(session.id.uuidString.lowercased())
      }
      #expect(files.count == 2)
      try FileManager.default.removeItem(atPath: "\(mirrors.folder.path)/\(files[0])")
      #expect(try await !Store.checkHub(at: mirrors.address).isSound)
      // A store reads the hub's directory again after an hour.
      clock.tick(seconds: 7200)
      let reports = try await mirrors.sync()
      #expect(reports[0].sent == [session.id] && reports[1].received == [session.id])
      try await mirrors.requireSame()
      #expect(
        try await mirrors.second.session(session.id).entries(last: 9).map(\.text) == ["One.", ""])
      try await mirrors.requireErased()
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireSoundHub()
    }
  }

  @Test(arguments: 1...12)
  func `goes with a deleted session that changed before, wherever the connection is cut`(call: Int)
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("One."))
      try await session.append(.response(Self.secret))
      try await session.attach(.init(.bytes(Self.picture)))
      try await mirrors.sync()
      try await session.append(.prompt("More."))
      let fork = try await session.fork(before: 1)
      try await fork.append(.response("In the fork."))
      try await mirrors.first.deleteSession(session.id)
      let cut = InterruptedHub.address(mirrors.address, counting: .after) { number in
        if number == call { throw InterruptedHub.cut }
      }
      _ = try? await mirrors.first.sync(with: cut)
      try await mirrors.sync()
      #expect(try await mirrors.sync().allSatisfy { $0 == SyncReport() })
      #expect(try !mirrors.finds(Self.secret) && !mirrors.finds(Self.picture))
      try await mirrors.requireSame()
      try await mirrors.requireErased()
      #expect(try await mirrors.second.session(fork.id).count() == 2)
    }
  }

  @Test func `goes with a deleted session, up to what forks share`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession(title: "Shared")
      try await session.append(.prompt("Shared by the fork."))
      try await session.append(.prompt(Self.secret))
      let lone = try await mirrors.first.createSession(title: Self.secret)
      try await lone.append(.prompt(Self.secret))
      try await lone.attach(.init(.bytes(Self.picture)), to: 0)
      let fork = try await session.fork(before: 1)
      try await fork.append(.response("Of the fork."))
      try await mirrors.sync()
      #expect(try mirrors.finds(Self.secret))
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.first.deleteSession(lone.id)
      try await mirrors.first.sync()
      #expect(try !mirrors.finds(Self.secret))
      #expect(try !mirrors.finds(Self.picture))
      #expect(try mirrors.finds("Shared by the fork."))
      let late = try await Store.temporary(options: .withoutIndexing)
      try await late.join(mirrors.address)
      try await late.sync()
      let texts = try await late.session(fork.id).entries(last: 10).map(\.text)
      #expect(texts == ["Shared by the fork.", "Of the fork."])
      #expect(try await CommitPair(first: mirrors.first, second: late).difference() == nil)
      try await late.removeTemporary()
      try await mirrors.sync()
      try await mirrors.requireSame()
      try await mirrors.requireErased()
    }
  }

  /// Whoever deletes may not know yet what others wrote to the session.
  @Test(arguments: [0, 1, 2])
  func `goes with a session that went on elsewhere before it was deleted`(forkedAt: Int)
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two."] { try await session.append(.prompt(text)) }
      let fork = try await session.fork(before: forkedAt)
      try await mirrors.sync()
      let there = try await mirrors.second.session(session.id)
      try await there.append(.response(Self.secret))
      try await mirrors.second.sync()
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try await mirrors.second.sync() == SyncReport())
      #expect(try await mirrors.second.session(fork.id).count() == forkedAt)
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// Another store made a fork of what it wrote, which the hub has when it hears of the deletion.
  @Test(arguments: [1, 3], [false, true])
  func `goes with a session that went on and was forked elsewhere before it was deleted`(
    forkedAt: Int, isShared: Bool
  ) async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two."] { try await session.append(.prompt(text)) }
      let mine = isShared ? try await session.fork(before: 2) : nil
      try await mirrors.sync()
      let there = try await mirrors.second.session(session.id)
      for text in ["Three.", Self.secret] { try await there.append(.response(text)) }
      let fork = try await there.fork(before: forkedAt)
      try await mirrors.second.sync()
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.session(fork.id).count() == forkedAt)
        if let mine { #expect(try await store.session(mine.id).count() == 2) }
      }
      try await mirrors.requireInStep()
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// Two stores delete the same session. One of them made a fork before, of which nobody knows.
  @Test(arguments: [0, 1, 2])
  func `goes with a session that two stores delete, up to what a fork shares`(forkedAt: Int)
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two.", Self.secret] { try await session.append(.prompt(text)) }
      try await mirrors.sync()
      let fork = try await mirrors.second.session(session.id).fork(before: forkedAt)
      for store in mirrors.stores { try await store.deleteSession(session.id) }
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.session(fork.id).count() == forkedAt)
      }
      try await mirrors.requireInStep()
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  @Test(arguments: [false, true])
  func `comes again only as far as a fork needs it that was made before the deletion was known`(
    alsoAppends: Bool
  ) async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two.", Self.secret] { try await session.append(.prompt(text)) }
      try await mirrors.sync()
      let there = try await mirrors.second.session(session.id)
      let fork = try await there.fork(before: 2)
      try await fork.append(.response("Of the fork."))
      if alsoAppends { try await there.append(.response("Said meanwhile.")) }
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.first.sync()
      #expect(try !mirrors.finds("Two."))
      try await mirrors.second.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try !mirrors.finds(Self.secret))
      for store in mirrors.stores {
        let texts = try await store.session(fork.id).entries(last: 10).map(\.text)
        #expect(texts == ["One.", "Two.", "Of the fork."])
        await #expect(throws: KeepsakeError.self) { try await store.session(session.id) }
        #expect(try await store.sessions().sessions.count == (alsoAppends ? 2 : 1))
        #expect(try await store.membership()?.waiting == 0)
        #expect(try await store.membership()?.aside == [])
      }
      try await mirrors.requireErased()
    }
  }

  @Test func `is named as erased by a remainder, which says nothing else`() async throws {
    let store = try await Store.temporary(options: .withoutIndexing)
    let session = try await store.createSession(title: Self.secret)
    try await session.append(.prompt(Self.secret))
    let whole = try #require(try await store.wholeCommits(of: [session.id]).first)
    let remainder = try whole.remainder()
    let bytes = try remainder.encoded()
    #expect(!String(decoding: bytes, as: UTF8.self).contains(Self.secret))
    let read = try SessionCommit(decoding: bytes)
    #expect(read.isRemainder)
    #expect(!read.isRemoval)
    #expect(read.end == whole.end)
    #expect(try SessionPast(of: [read]).links == SessionPast(of: [whole]).links)
    #expect(try SessionCommit(decoding: read.remainder().encoded()).links == remainder.links)
    try await store.removeTemporary()
  }
}

extension Mirrors {
  /// Tells whether bytes stand in any file of the hub.
  func finds(_ text: String) throws -> Bool { try finds(Array(text.utf8)) }

  func finds(_ bytes: [UInt8]) throws -> Bool { try folder.finds(bytes) }

  /// Expects that the hub has nothing of what was erased: behind a commit that takes the place of others are remainders, and
  /// its artifacts are those of the stores.
  func requireErased() async throws {
    let hub = try await FolderHub.open(at: folder.path)
    for head in try await hub.directory().heads {
      let log = try await hub.versions(of: head.session, after: 0, bytes: .max).versions
      let commits = try log.map { try SessionCommit(decoding: $0.bytes) }
      guard let last = commits.lastIndex(where: \.standsAlone) else { continue }
      let areRemainders = commits.map(\.isRemainder)
      let expected = commits.indices.map { $0 < last }
      #expect(areRemainders == expected, "session \(head.session)")
    }
    let there = try HubFolder.files(folder.path).filter { $0.hasPrefix("artifact/") }
    for name in there {
      let digest = SHA256Digest(hex: String(name.suffix(64)))
      let isHere = try stores.contains { store in
        try store.handle.read { try $0.artifacts.number(of: try #require(digest)) } != nil
      }
      #expect(isHere, "the hub has \(name), and no store")
    }
    await hub.close()
  }
}
