import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// Pages of a session's attachments and runs: what they have, and what they cost.
@Suite struct `A page of what a session recorded` {
  /// Reads the attachments page by page.
  private func attachments(of session: Session, limit: Int) async throws -> [Entry.Attachment] {
    var found: [Entry.Attachment] = []
    var cursor: RecordedPage<Entry.Attachment>.Cursor?
    repeat {
      let page = try await session.attachments(limit: limit, after: cursor)
      #expect(page.elements.count == limit || page.next == nil)
      found += page.elements
      cursor = try page.next.map { try #require(.init($0.description)) }
    } while cursor != nil
    return found
  }

  /// Reads the runs page by page.
  private func runs(of session: Session, running: Bool, limit: Int) async throws -> [Invocation] {
    var found: [Invocation] = []
    var cursor: RecordedPage<Invocation>.Cursor?
    repeat {
      let page = try await session.invocations(running: running, limit: limit, after: cursor)
      #expect(page.elements.count == limit || page.next == nil)
      found += page.elements
      cursor = try page.next.map { try #require(.init($0.description)) }
    } while cursor != nil
    return found
  }

  private func expectAll(_ session: Session, count: Int) async throws {
    let all = try await session.attachments()
    #expect(all.count == count)
    for limit in [1, 2, 3, all.count, 1000] {
      #expect(try await attachments(of: session, limit: limit) == all, "pages of \(limit)")
    }
    for running in [false, true] {
      let all = try await session.invocations(running: running)
      for limit in [1, 2, 1000] {
        #expect(try await runs(of: session, running: running, limit: limit) == all)
      }
    }
  }

  @Test(arguments: [1, 2, 3]) func `is a part of the whole list, also of a fork's`(seed: Int)
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let other = try await store.createSession()
      let large = String(repeating: "x", count: LargeText.limit + 1)
      try await session.append((0..<4).map { .event("\($0)") })
      try await other.append(.event("other"))
      // The order of recording is not that of the entries, and other sessions' attachments lie between.
      for position in [3, 0, 2, 0, 1, 3] {
        try await session.attach(.init(.bytes([UInt8(position)])), to: (position + seed) % 4)
        try await other.attach(.init(.bytes([7])), to: 0)
      }
      try await session.append([.event(large), .event(large)])
      let loose = try await session.attach(.labelled("loose"))
      try await session.attach(.labelled("late"), to: 5)
      for name in ["Draw", "Look", "Read"] { _ = try await session.begin(.step, name) }
      try await session.end(try await session.invocations()[1], .finished)
      try await expectAll(session, count: 8)

      let fork = try await session.fork(before: seed + 1)
      let shared = try await fork.attachments().count
      try await session.attach(.labelled("after the fork"), to: 0)
      try await session.bind(loose, to: 1)
      try await fork.append(.event("of the fork"))
      for label in ["a", "b", "c"] { try await fork.attach(.labelled(label), to: 0) }
      try await fork.attach(.labelled("d"))
      try await expectAll(fork, count: shared + 5)
      let leaf = try await fork.fork(before: 1)
      try await leaf.attach(.labelled("e"), to: 0)
      try await expectAll(leaf, count: leaf.attachments().count)
      try await expectAll(session, count: 9)
    }
  }

  @Test func `stays where it was when more is recorded`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.event("0"))
      let fork = try await session.fork(before: 1)
      for label in ["a", "b"] { try await fork.attach(.labelled(label), to: 0) }
      let first = try await fork.attachments(limit: 1, after: nil)
      try await fork.attach(.labelled("c"), to: 0)
      let second = try await fork.attachments(limit: 5, after: first.next)
      #expect((first.elements + second.elements).map(\.label) == ["a", "b", "c"])
    }
  }

  @Test func `is not given for a cursor of another session`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let other = try await store.createSession()
      try await other.append(.event("0"))
      for number in 0..<2 {
        try await other.attach(.init(.bytes([UInt8(number)])), to: 0)
        _ = try await other.begin(.step, "Draw")
      }
      let attachments = try #require(try await other.attachments(limit: 1, after: nil).next)
      let runs = try #require(try await other.invocations(limit: 1, after: nil).next)
      let errors = [
        await keepsakeError { try await session.attachments(limit: 1, after: attachments) },
        await keepsakeError { try await session.invocations(limit: 1, after: runs) },
      ]
      #expect(errors.map { $0?.code } == [.invalid, .invalid])
      #expect(try await session.attachments(limit: 1, after: nil).elements.isEmpty)
    }
  }

  @Test(arguments: ["", "n", "n1", "n1.", "n.1", "1.1", "n1.1.1", "n+1.1", "n1.Z", "n 1.1"])
  func `has no cursor that is spelled otherwise`(text: String) {
    #expect(RecordedPage<Invocation>.Cursor(text) == nil)
  }

  // MARK: - Cost

  /// How many rows a page of ten in the middle reads, of attachments and of runs.
  private func rows(ofSessionWith count: Int) async throws -> [Int] {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.event("0"))
      try await session.attach(
        (0..<count).map { .init(.bytes([1]), label: "l\($0)") }, to: 0)
      for _ in 0..<count { _ = try await session.begin(.step, "Draw") }
      let attachments = try await session.attachments(limit: count / 2, after: nil)
      let runs = try await session.invocations(limit: count / 2, after: nil)
      return try store.handle.read { db in
        // Preparing a text again gives the same statement, with the counters of its earlier runs.
        let texts = [AttachmentReader.select + "a.number = ?1", InvocationTable.page]
        for text in texts {
          _ = try db.prepare(text: text).takeCount(of: .steps)
          _ = try db.prepare(text: text).takeCount(of: .runs)
        }
        #expect(
          try session.attachments(limit: 10, after: attachments.next, in: db).elements.count == 10)
        #expect(
          try session.invocations(running: false, limit: 10, after: runs.next, in: db)
            .elements.count == 10)
        return [
          try db.prepare(text: texts[0]).takeCount(of: .runs),
          try db.prepare(text: texts[1]).takeCount(of: .steps),
        ]
      }
    }
  }

  @Test func `costs the same in a long session as in a short one`() async throws {
    let short = try await rows(ofSessionWith: 30)
    let long = try await rows(ofSessionWith: 300)
    // A page of ten attachments reads eleven rows: the eleventh tells whether there is a next page.
    #expect(short[0] == 11)
    #expect(long == short)
  }

  @Test(arguments: [AttachmentReader.numbersInSession, AttachmentReader.numbersInPiece])
  func `finds the numbers of attachments in an index alone`(sql: String) async throws {
    try await withTemporaryStore { store in
      let plan = try store.handle.read { db in
        let explain = try db.prepare(text: "EXPLAIN QUERY PLAN " + sql)
        var plan: [String] = []
        while try explain.step() { plan.append(explain.text(3)) }
        return plan
      }
      #expect(
        plan.first?.hasPrefix("SEARCH attachment USING COVERING INDEX attachment_by_entry (")
          == true,
        "\(plan)")
    }
  }

  @Test func `finds runs through an index, in their order`() async throws {
    try await withTemporaryStore { store in
      let plan = try store.handle.read { db in
        let explain = try db.prepare(text: "EXPLAIN QUERY PLAN " + InvocationTable.page)
        var plan: [String] = []
        while try explain.step() { plan.append(explain.text(3)) }
        return plan
      }
      #expect(
        plan == ["SEARCH invocation USING INDEX invocation_by_session (session=? AND number>?)"])
    }
  }
}
