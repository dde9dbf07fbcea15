import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// A fork of a fork, whose parent attached something to what it shares itself.
@Suite struct `A fork of a fork` {
  /// A parent of five entries, a fork before position 4 that attached something to positions 1 and 3, and a fork of that
  /// before 2: the middle one owns nothing of what the last one shows.
  private func family(_ store: Store) async throws -> (
    parent: Session, middle: Session, leaf: Session
  ) {
    let parent = try await store.createSession(title: "Parent")
    try await parent.append((0..<5).map { $0 % 2 == 0 ? .prompt("\($0)") : .response("\($0)") })
    try await parent.attach(.labelled("parents"), to: 1)
    let middle = try await parent.fork(before: 4, title: "Middle")
    try await middle.attach(.labelled("middles"), to: 1)
    try await middle.attach(.labelled("above"), to: 3)
    try await middle.append(.response("middle 4"))
    let leaf = try await middle.fork(before: 2, title: "Leaf")
    try await middle.attach(.labelled("later"), to: 1)
    try await leaf.append([.prompt("leaf 2"), .response("leaf 3"), .prompt("leaf 4")])
    return (parent, middle, leaf)
  }

  private let leafTexts = ["0", "1", "leaf 2", "leaf 3", "leaf 4"]

  @Test func `shows what the one between attached to entries that all three share`() async throws {
    try await withTemporaryStore { store in
      let (parent, middle, leaf) = try await family(store)
      #expect(try await parent.labels(at: 1) == ["parents"])
      #expect(try await middle.labels(at: 1) == ["parents", "middles", "later"])
      #expect(try await leaf.labels(at: 1) == ["parents", "middles"])
      #expect(try await leaf.labels(at: 3) == [])
      #expect(try await leaf.texts() == leafTexts)
      #expect(try await leaf.summary().attachments == 2)
      #expect(try await leaf.attachments().count == 2)
      try await expectSound(store)

      // Opened anew, by the rows alone.
      let again = try await store.session(leaf.id)
      #expect(again.lineage == leaf.lineage)
      #expect(try await again.labels(at: 1) == ["parents", "middles"])
    }
  }

  @Test func `reads the same in every stretch, whatever page it is read by`() async throws {
    try await withTemporaryStore { store in
      let (_, _, leaf) = try await family(store)
      let deep = try await leaf.fork(before: 4)
      try await deep.append(.response("deep 4"))
      let expected = ["0", "1", "leaf 2", "leaf 3", "deep 4"]
      for start in 0...5 {
        for count in 0...5 {
          let read = try await deep.entries(after: start - 1, count: count).map(\.text)
          #expect(read == Array(expected[start..<min(5, start + count)]))
          let before = try await deep.entries(before: start, count: count).map(\.text)
          #expect(before == Array(expected[max(0, start - count)..<start]))
        }
        #expect(try await deep.entries(last: start).map(\.text) == Array(expected.suffix(start)))
        var lazy: [String] = []
        for try await entry in deep.entries(from: start) { lazy.append(entry.text) }
        #expect(lazy == Array(expected[start...]))
      }
      try await expectSound(store)
    }
  }

  @Test func `points past one that gave it nothing`() async throws {
    try await withTemporaryStore { store in
      let (parent, middle, leaf) = try await family(store)
      #expect(leaf.lineage.pieces.map(\.session) == [parent, middle, leaf].map(\.number))
      let plain = try await middle.fork(before: 1)
      #expect(plain.lineage.pieces.map(\.session) == [parent, plain].map(\.number))
      #expect(try await plain.summary().forkOf == parent.id)
      var last = leaf
      for _ in 0..<20 { last = try await last.fork(before: 2) }
      #expect(last.lineage.pieces.count == 3, "trying again and again makes no longer way")
      #expect(try await last.labels(at: 1) == ["parents", "middles"])
      try await expectSound(store)
    }
  }

  @Test func `keeps what it shows when the one between is deleted, and the parent too`()
    async throws
  {
    try await withTemporaryStore { store in
      let (parent, middle, leaf) = try await family(store)
      try await store.indexForSearch()
      try await store.deleteSession(middle.id)
      #expect(try await leaf.labels(at: 1) == ["parents", "middles"])
      #expect(try await leaf.texts() == leafTexts)
      #expect(try await leaf.summary().forkOf == nil)
      var rows = try DeletingTests.rows(store)
      #expect(rows["attachment"] == 2, "what only the middle one showed is gone: \(rows)")
      #expect(rows["entry"] == 8)
      try await expectSound(store)

      try await store.deleteSession(parent.id)
      #expect(try await leaf.labels(at: 1) == ["parents", "middles"])
      let data = try await leaf.attachment("middles").data()
      #expect(data == Data("middles".utf8))
      #expect(try await leaf.texts() == leafTexts)
      rows = try DeletingTests.rows(store)
      #expect(rows["entry"] == 5, "the parent's entries above the leaf's share are gone: \(rows)")
      let audited = try await leaf.audit().attachments
      #expect(audited.map(\.session) == [leaf.id, leaf.id])
      try await expectSound(store)

      try await store.deleteSession(leaf.id)
      rows = try DeletingTests.rows(store)
      #expect(rows.values.allSatisfy { $0 == 0 }, "\(rows)")
    }
  }

  @Test func `takes with it what only it needed, in whatever order the others go`() async throws {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      try await withTemporaryStore { store in
        let (parent, middle, leaf) = try await family(store)
        let all = [parent, middle, leaf]
        let texts = [["0", "1", "2", "3", "4"], ["0", "1", "2", "3", "middle 4"], leafTexts]
        var left = Set(0...2)
        for index in order {
          try await store.deleteSession(all[index].id)
          left.remove(index)
          for other in left { #expect(try await all[other].texts() == texts[other], "\(order)") }
          try await expectSound(store)
        }
        let rows = try DeletingTests.rows(store)
        #expect(rows.values.allSatisfy { $0 == 0 }, "\(order): \(rows)")
      }
    }
  }

  @Test func `does not show, nor keep, what was deleted above its share`() async throws {
    try await withTemporaryStore { store in
      let (parent, middle, leaf) = try await family(store)
      try await parent.append(.prompt("secret"))
      try await store.deleteSession(parent.id)
      #expect(try await middle.labels(at: 3) == ["above"])
      try await store.deleteSession(middle.id)
      let entries = try store.handle.read { db in
        try db.integer("SELECT count(*) FROM entry WHERE id & 16777215 >= 2 AND id >> 24 < 3")
      }
      #expect(entries == 0)
      #expect(try await leaf.texts() == leafTexts)
      try await expectSound(store)
    }
  }

  @Test func `loses what is erased, wherever it was attached`() async throws {
    try await withTemporaryStore { store in
      let (parent, middle, leaf) = try await family(store)
      let attached = try await middle.attachment("middles")
      try await middle.erase(attached)
      #expect(try await leaf.entry(at: 1).attachments.map(\.state) == [.present, .erased])
      try await expectSound(store)
      try await leaf.erase(1)
      for session in [parent, middle, leaf] {
        let entry = try await session.entry(at: 1)
        #expect(entry.isErased)
        #expect(entry.attachments.allSatisfy { $0.state == .erased })
      }
      try await expectSound(store)
    }
  }

  @Test func `can't erase what it does not show`() async throws {
    try await withTemporaryStore { store in
      let (_, middle, leaf) = try await family(store)
      for label in ["later", "above"] {
        let attachment = try await middle.attachment(label)
        let error = await keepsakeError { try await leaf.erase(attachment) }
        #expect(error?.code == .notFound, "\(label)")
        #expect(try await middle.attachment(label).state == .present)
      }
    }
  }

  @Test func `is searched with all that it shows, and stands in for deleted ones`() async throws {
    try await withSearchedStore { store in
      let parent = try await store.createSession(title: "parent")
      try await parent.append((0..<5).map { .prompt("word p\($0)") })
      let middle = try await parent.fork(before: 4, title: "middle")
      try await middle.attach(.labelled("mark"), to: 0)
      try await middle.append(.prompt("word m4"))
      let leaf = try await middle.fork(before: 2, title: "leaf")
      try await leaf.append(.prompt("word l2"))
      let shown = ["word p0", "word p1", "word l2"]
      try await store.expect("word", in: .init(session: leaf.id), finds: shown)
      try await store.expect(
        "word", in: .init(session: middle.id),
        finds: ["word p0", "word p1", "word p2", "word p3", "word m4"])
      try await store.deleteSession(parent.id)
      try await store.deleteSession(middle.id)
      try await store.expect("word", finds: shown)
      #expect(try await store.search("word").hits.allSatisfy { $0.session == leaf.id })
    }
  }

  @Test func `is found for its parent's entries only as far as it shows them`() async throws {
    try await withSearchedStore { store in
      let parent = try await store.createSession(title: "parent")
      try await parent.append((0..<5).map { .prompt("word p\($0)") })
      let middle = try await parent.fork(before: 4, title: "middle")
      try await middle.attach(.labelled("mark"), to: 0)
      let leaf = try await middle.fork(before: 2, title: "leaf")
      let other = try await middle.fork(before: 3, title: "other")
      try await store.deleteSession(parent.id)
      try await store.deleteSession(middle.id)
      let hits = try await store.search("word").hits.sorted { $0.position < $1.position }
      #expect(hits.map(\.session) == [leaf.id, leaf.id, other.id])
      _ = leaf
    }
  }

  @Test func `goes on from a deletion that a crash cut short`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let (_, middle, leaf) = try await family(store)
      let (id, number) = (middle.id, middle.number)
      try await middle.append((0..<20).map { .event("\($0)") })
      try await store.handle.write { change in
        _ = try Store.hide(id, in: change)
        _ = try RemovalStep(.session(number), limit: 4, in: change)
      }
      let left = try #require(try DeletingTests.rows(store)["entry"])
      #expect(left > 8)
      try await store.sweep()
      #expect(try DeletingTests.rows(store)["entry"] == 8)
      #expect(try DeletingTests.rows(store)["attachment"] == 2)
      #expect(try await leaf.labels(at: 1) == ["parents", "middles"])
      try await expectSound(store)
    }
  }
}
