import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Deleting what was forked")
struct DeletingForksTests {
  /// A session with four entries, an artifact at the second and one at the fourth.
  private func parent(_ store: Store) async throws -> Session {
    let session = try await store.createSession(title: "Parent", tags: ["a"])
    try await session.append([.prompt("zero"), .response("one")])
    try await session.attach(.init(.bytes([1]), caption: "early", madeBy: .user), to: 1)
    try await session.append([.prompt("two"), .response("three")])
    try await session.attach(.init(.bytes([3]), caption: "late", madeBy: .user), to: 3)
    return session
  }

  private func texts(_ session: Session) async throws -> [String] {
    try await session.entries.all().map(\.text)
  }

  @Test func `a fork keeps what it shares, and no more`() async throws {
    // Nothing runs beside it that could take a part of the removal over, and its counts with it.
    var options = Store.Options()
    options.searchDelay = nil
    try await withTemporaryStore(options: options) { store in
      let session = try await parent(store)
      let fork = try await session.fork(before: 2)
      try await fork.append(.prompt("another"))
      let shared = try await fork.entries.all()
      try await session.attach(.init(.bytes([4]), caption: "after the fork", madeBy: .user), to: 0)
      try await store.indexForSearch()

      let removed = try await store.deleteSession(session.id)
      #expect(removed.sessions == 0)
      #expect(removed.entries == 2)
      #expect(removed.attachments == 2)
      #expect(removed.artifacts == 2)
      #expect(try await fork.entries.all() == shared)
      #expect(try await fork.entry(at: 1).attachments[0].data() == Data([1]))
      #expect(try await store.sessions().sessions.map(\.id) == [fork.id])
      #expect(try await fork.summary().forkOf == nil)
      await #expect(throws: KeepsakeError.self) { try await store.session(session.id) }
      await #expect(throws: KeepsakeError.self) { try await session.append(.prompt("more")) }
      await #expect(throws: KeepsakeError.self) { try await session.fork() }
      #expect(try await store.search("two").hits.isEmpty)
      #expect(try await store.search("after").hits.isEmpty)
      #expect(try await store.search("one").hits.map(\.position) == [1])
      try await DeletingTests.isSound(store)

      let last = try await store.deleteSession(fork.id)
      #expect(last.sessions == 2)
      #expect(last.artifacts == 1)
      let rows = try DeletingTests.rows(store)
      #expect(rows.values.allSatisfy { $0 == 0 }, "\(rows)")
    }
  }

  /// The id behind the last id of a session is the first id of the next session. The store has too few entries for such a session, so the test
  /// says that the fork shares as many entries as a session can have.
  @Test(arguments: [1, 2])
  func `a fork keeps all that it shares of a session that is full`(number: Int64) async throws {
    try await withTemporaryStore { store in
      if number == 2 { _ = try await store.createSession() }
      let session = try await parent(store)
      try #require(session.number == number)
      let fork = try await session.fork(before: 4)
      let shared = try await fork.entries.all()
      try EverythingStore.tamper(
        with: store.url,
        "UPDATE session SET reach = \(EntryID.maximumPosition + 1) WHERE number = \(fork.number)")
      #expect(try await store.deleteSession(session.id).entries == 0)
      #expect(try await fork.entries.all() == shared)
    }
  }

  @Test func `each fork that goes takes with it what only it needed`() async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let short = try await session.fork(before: 1)
      let long = try await session.fork(before: 4)
      let nested = try await long.fork(before: 4)
      try await store.deleteSession(session.id)
      #expect(try await texts(long) == ["zero", "one", "two", "three"])
      try await DeletingTests.isSound(store)

      #expect(try await store.deleteSession(long.id).entries == 0)
      #expect(try await texts(nested) == ["zero", "one", "two", "three"])
      try await DeletingTests.isSound(store)

      let removed = try await store.deleteSession(nested.id)
      #expect(removed.entries == 3)
      #expect(removed.artifacts == 2)
      #expect(try await texts(short) == ["zero"])
      try await DeletingTests.isSound(store)

      #expect(try await store.deleteSession(short.id).sessions == 2)
      let rows = try DeletingTests.rows(store)
      #expect(rows.values.allSatisfy { $0 == 0 }, "\(rows)")
    }
  }

  @Test func `what a crash leaves of a large deletion verifies, and its fork shows all of it`()
    async throws
  {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await parent(store)
      let fork = try await session.fork(before: 2)
      for index in 0..<40 {
        try await session.append(.event("\(index)"))
        try await session.attach(.init(.bytes([UInt8(index)]), madeBy: .user), to: index)
      }
      let run = try await session.begin(.step, "Draw")
      try await session.end(run, .failed)
      try await store.indexForSearch()
      let (id, number) = (session.id, session.number)
      try await store.handle.write { change in _ = try Store.hide(id, in: change) }
      let handle = store.handle
      var more = true
      while more {
        more = try await handle.write { change in
          try !RemovalStep(.session(number), limit: 16, in: change).next.isEmpty
        }
        try await DeletingTests.isSound(store)
        #expect(try OtherVerifier.run(store.url).faults == "")
        #expect(try await texts(fork) == ["zero", "one"])
      }
      let rows = try DeletingTests.rows(store)
      #expect(rows["entry"] == 2)
      #expect(rows["attachment"] == 1)
      #expect(rows["invocation"] == 0)
    }
  }

  @Test func `a fork of a fork keeps both above it`() async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let middle = try await session.fork(before: 3)
      try await middle.append([.response("middle three"), .response("middle four")])
      let leaf = try await middle.fork(before: 4)
      try await leaf.append(.response("leaf four"))
      let expected = ["zero", "one", "two", "middle three", "leaf four"]
      try await store.deleteSession(session.id)
      try await store.deleteSession(middle.id)
      #expect(try await texts(leaf) == expected)
      #expect(try await leaf.audit().attachments.map(\.caption) == ["early"])
      #expect(try await leaf.audit().attachments.map(\.session) == [leaf.id])
      try await DeletingTests.isSound(store)
      #expect(try await store.deleteSession(leaf.id).sessions == 3)
      #expect(try DeletingTests.rows(store)["entry"] == 0)
    }
  }

  /// Clearing up begins as soon as nobody writes, so also between the steps of a deletion.
  @Test func `what goes with the last fork is counted, though the store clears up meanwhile`()
    async throws
  {
    var options = Store.Options()
    options.searchDelay = .zero
    try await withTemporaryStore(options: options) { store in
      var family = [try await parent(store)]
      while family.count < 40 {
        let fork = try await family[family.count - 1].fork()
        try await fork.append(.response("\(family.count)"))
        family.append(fork)
      }
      let leaf = family.removeLast()
      for session in family { try await store.deleteSession(session.id) }
      let removed = try await store.deleteSession(leaf.id)
      #expect(removed.sessions == 40)
    }
  }

  @Test func `a fork shows the content that it forked at, also when its parent is gone`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let fork = try await session.fork(before: 2)
      var entry = try await session.entry(at: 1)
      entry.segments = [.text("one, revised")]
      try await session.revise(1, to: entry)
      try await store.deleteSession(session.id)
      #expect(try await texts(fork) == ["zero", "one"])
      try await DeletingTests.isSound(store)
    }
  }

  @Test func `a fork's cover does not become another's image`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("zero"), .response("one")])
      let png = try #require(Data(base64Encoded: Pixel.png))
      try await session.attach(.init(.data(png), label: "cover", madeBy: .response), to: 1)
      let fork = try await session.fork(before: 1)
      try await store.deleteSession(session.id)
      let other = try await store.createSession()
      try await other.attach(.init(.data(png), label: "other", madeBy: .user))
      #expect(try await fork.summary().cover == nil)
    }
  }

  @Test func `an id that a deleted session still holds is refused`() async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      _ = try await session.fork()
      try await store.deleteSession(session.id)
      let error = await #expect(throws: KeepsakeError.self) {
        try await store.createSession(id: session.id)
      }
      #expect(error?.code == .conflict)
    }
  }
}
