import Foundation
import Testing

@testable import Keepsake

@Suite(
  "Where two pasts of a session part",
  .disabled(if: SharedStores.areUsed, "Stores that share hand over no commits."))
struct PastComparisonTests {
  /// A store whose commits are the hub's, and a copy of its folder as it was at some time.
  private func copying(
    _ first: (Session) async throws -> Void, _ body: (Store, Session, Store) async throws -> Void
  ) async throws {
    var options = Store.Options.withoutIndexing
    options.tracksChanges = true
    try await withTemporaryStore(options: options) { store in
      let session = try await store.createSession(title: "Fruit")
      try await first(session)
      let path = store.url.path + ".copy"
      defer { try? FileManager.default.removeItem(atPath: path) }
      try FileManager.default.copyItem(atPath: store.url.path, toPath: path)
      let copy = try Store(path: path, options: .withoutIndexing, registry: StoreRegistry())
      do { try await body(store, session, copy) } catch {
        await copy.close()
        throw error
      }
      await copy.close()
    }
  }

  /// One commit has five changes. A folder that was copied after three of them has these, and nothing to offer.
  @Test func `a copied folder, and one from a backup, have nothing that the hub lacks`()
    async throws
  {
    try await copying { session in
      try await session.append([.prompt("Pears?"), .response("Here.")])
      try await session.revise(1, to: .response("There."))
    } _: { store, session, copy in
      try await session.append([.prompt("More?"), .response("No.")])
      let theirs = try await store.takeCommits()
      #expect(theirs.count == 1)
      let old = try await copy.parting(of: session.id, from: theirs).comparison
      #expect(old.outcome == .behind && old.common == 3 && old.theirs == 2 && old.ours == 0)
      let new = try await store.parting(of: session.id, from: theirs).comparison
      #expect(new.outcome == .same && new.common == 5)
      try await session.append(.prompt("Even more?"))
      let ahead = try await store.parting(of: session.id, from: theirs)
      #expect(ahead.comparison.outcome == .ahead && ahead.comparison.ours == 1)
      #expect(ahead.parted == nil && ahead.followers.isEmpty)
      let copied = try await copy.session(session.id)
      try await copied.append(.prompt("Apples?"))
      let parted = try await copy.parting(of: session.id, from: theirs)
      #expect(parted.comparison.outcome == .parted && parted.comparison.common == 3)
      #expect(parted.isFork && parted.parted != nil)
    }
  }

  @Test func `a deletion leaves nothing, or what came after the version that both had`()
    async throws
  {
    try await copying { session in
      try await session.append([.prompt("Pears?"), .response("Here.")])
    } _: { store, session, copy in
      let common = try #require(try await store.takeCommits().first?.end)
      try await store.deleteSession(session.id)
      let theirs = try await store.takeCommits()
      let nothing = try await copy.parting(of: session.id, from: theirs, since: common)
      #expect(nothing.comparison.outcome == .deleted && nothing.parted == nil)
      let copied = try await copy.session(session.id)
      // A revision of an entry of a deleted session leaves nothing to keep.
      try await copied.revise(1, to: .response("There."))
      let changed = try await copy.parting(of: session.id, from: theirs, since: common)
      #expect(changed.comparison.outcome == .parted && changed.parted == nil)
      try await copied.append(.prompt("Apples?"))
      let plan = try await copy.parting(of: session.id, from: theirs, since: common)
      let parted = try #require(plan.parted)
      let text = String(decoding: try parted.encoded(), as: UTF8.self)
      #expect(text.contains("Apples?"))
      for gone in ["Pears?", "Here.", "There.", "Fruit"] { #expect(!text.contains(gone)) }
      try await store.apply(parted, artifacts: StoredBytes(store: copy))
      #expect(try await store.session(parted.session).texts() == ["", "", "Apples?"])
      try await expectSound(store)
    }
  }

  @Test func `what follows a change that was never here is refused`() async throws {
    try await copying { session in
      try await session.append(.prompt("Pears?"))
    } _: { store, session, copy in
      _ = try await store.takeCommits()
      try await session.append(.response("Here."))
      _ = try await store.takeCommits()
      try await session.append(.prompt("More?"))
      let late = try await store.takeCommits()
      await #expect(throws: CopyFault.self) {
        try await copy.parting(of: session.id, from: late)
      }
      await #expect(throws: CopyFault.self) { try await copy.parting(of: session.id, from: []) }
      let whole = try await store.wholeCommits(of: [session.id])
      await #expect(throws: CopyFault.self) {
        try await copy.parting(of: session.id, from: whole + late + late)
      }
      let other = try await store.createSession()
      let others = try await store.wholeCommits(of: [other.id])
      await #expect(throws: CopyFault.self) {
        try await copy.parting(of: session.id, from: others)
      }
      #expect(
        await keepsakeError { try await copy.parting(of: other.id, from: others) }?.code
          == .notFound)
    }
  }
}
