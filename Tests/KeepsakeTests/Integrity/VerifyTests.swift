import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Verifying a store")
struct VerifyTests {
  @Test func `a store that nobody altered is sound, and both verifiers see the same heads`()
    async throws
  {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    for options in [Store.Options(), .readOnly] {
      let store = try await Store(at: made.path, options: options)
      let report = try await store.verify(.init(database: .full, readData: true))
      await store.close()
      #expect(report.findings == [])
      #expect(report.isSound)
      #expect(report.counts.sessions == 4)
      #expect(report.counts.entries == 12)
      #expect(report.counts.revisions == 2)
      #expect(report.counts.attachments == 7)
      #expect(report.counts.invocations == 4)
      #expect(report.counts.artifacts == 6)
      #expect(report.counts.bytesRead > 150_000)
      let other = try OtherVerifier.run(made.path)
      #expect(other.status == 0, "\(other.faults)")
      #expect(other.heads == report.heads.map(\.description))
    }
  }

  @Test func `a report survives being encoded, and a head its line`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let report = try await TamperTests.verify(made.copy("UPDATE session SET turns = 9"))
    #expect(!report.findings.isEmpty)
    let decoded = try JSONDecoder().decode(
      VerifyReport.self, from: JSONEncoder().encode(report))
    #expect(decoded == report)
    for head in report.heads {
      #expect(VerifyReport.Head(head.description) == head)
      #expect(VerifyReport.Head(head.description.uppercased()) == head)
    }
    #expect(VerifyReport.Head("x 1 ab") == nil)
  }

  @Test(arguments: [
    ("attachments", "UPDATE session SET attachments = attachments + 1 WHERE number = 1"),
    ("bytes", "UPDATE session SET bytes = bytes - 1 WHERE number = 1"),
    ("turns", "UPDATE session SET turns = turns + 1 WHERE number = 2"),
    ("cover", "UPDATE session SET cover = 77 WHERE number = 1"),
    ("inputs", "DELETE FROM derivation"),
    ("documents", "INSERT INTO document (entry, change, segmenter) VALUES (5, 1, 1)"),
  ])
  func `what is derived and disagrees is found, and is no damage`(what: String, sql: String)
    async throws
  {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let report = try await TamperTests.verify(made.copy(sql))
    #expect(report.findings.map(\.severity) == [.derived], "\(report.findings)")
    #expect(!report.isSound)
  }

  @Test func `heads that were kept find a past that was rewritten, shortened or removed`()
    async throws
  {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let store = try await Store(at: made.path)
    let kept = try await store.verify().heads
    let grown = try await store.session(try #require(kept.first).session)
    try await grown.append(.prompt("More."))
    let sound = try await store.verify(.init(heads: kept))
    #expect(sound.findings == [])
    #expect(sound.heads != kept)
    await store.close()

    let first = try #require(kept.first)
    let digit = first.head.hasPrefix("0") ? "1" : "0"
    let forged: [VerifyReport.Head] = [
      .init(
        session: first.session, changes: first.changes, head: digit + first.head.dropFirst()),
      .init(session: first.session, changes: first.changes + 1, head: first.head),
      .init(session: first.session, changes: first.changes + 100, head: first.head),
      .init(session: UUID(), changes: 1, head: first.head),
    ]
    for head in forged {
      let report = try await TamperTests.verify(made.path, .init(heads: kept + [head]))
      #expect(report.findings.map(\.severity) == [.damaged], "\(report.findings)")
    }
  }

  @Test func `G11: a chain that was computed anew is found by its kept head alone`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let kept = try await TamperTests.verify(made.path).heads
    let db = try Connection(
      path: made.path.appending(path: "store.sqlite").path, access: .readWrite)
    // The third session: cut its last entry off and fold what is left.
    let find = try db.prepare(
      "SELECT id, created, (SELECT digest FROM entry WHERE id = 3 << 24), (SELECT digest FROM entry WHERE id = (3 << 24) + 1), (SELECT digest FROM entry WHERE id = (3 << 24) + 2) FROM session WHERE number = 3"
    )
    let isThere = try find.step()
    #expect(isThere)
    let (first, second, third) = (find.digest(2), find.digest(3), find.digest(4))
    var chain = Chain(beginning: find.bytes(0), created: find.int64(1))
    chain.add(.append, position: 0, digest: try #require(first))
    chain.add(.append, position: 1, digest: try #require(second))
    chain.add(.append, position: 2, digest: try #require(third))
    find.reset()
    try db.execute(
      """
      DELETE FROM entry WHERE id = (3 << 24) + 3;
      DELETE FROM document WHERE entry = (3 << 24) + 3
      """)
    let update = try db.prepare(
      """
      UPDATE session SET head = ?, changes = 3, entries = 3,
        bytes = (SELECT sum(length(body)) FROM entry WHERE id >> 24 = 3) WHERE number = 3
      """)
    update.bind(chain.head, at: 1)
    try update.run()
    db.close()

    #expect(try await TamperTests.verify(made.path).findings == [])
    #expect(try OtherVerifier.run(made.path).status == 0)
    let report = try await TamperTests.verify(made.path, .init(heads: kept))
    #expect(report.findings.map(\.severity) == [.damaged])
  }

  @Test func `what was erased keeps its place in the chain and is no damage`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let store = try await Store(at: made.path)
    let id = try #require(try made.values("SELECT hex(id) FROM session WHERE number = 1").first)
    let session = try await store.session(matching: id)
    for position in [1, 2, 3, 5] { try await session.erase(position) }
    let report = try await store.verify(.init(database: .full, readData: true))
    #expect(report.findings.map(\.severity) == [.harmless], "\(report.findings)")
    #expect(report.isSound)
    #expect(report.counts.erased >= 6)
    await store.close()
    let other = try OtherVerifier.run(made.path)
    #expect(other.status == 0, "\(other.faults)")

    let altered = try ["status", "created", "visibility"].map {
      try made.copy("UPDATE entry SET \($0) = \($0) + 1 WHERE id = (1 << 24) + 5")
    }
    #expect(try OtherVerifier.statuses(altered) == [2, 2, 2])
    for copy in altered {
      let report = try await TamperTests.verify(copy)
      #expect(report.findings.contains { $0.severity == .damaged })
    }
  }

  @Test func `a session that was deleted and is shared verifies by its links`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let store = try await Store(at: made.path)
    let kept = try await store.verify().heads
    let id = try #require(try made.values("SELECT hex(id) FROM session WHERE number = 1").first)
    try await store.deleteSession(store.session(matching: id).id)
    let report = try await store.verify(.init(heads: kept))
    #expect(report.findings.map(\.severity) == [.harmless], "\(report.findings)")
    #expect(report.heads == kept)
    await store.close()
    let other = try OtherVerifier.run(made.path)
    #expect(other.status == 0, "\(other.faults)")
    let altered = try made.copy("DELETE FROM change WHERE number = 5 AND session = 1")
    #expect(try OtherVerifier.run(altered).status == 2)
    #expect(try await !TamperTests.verify(altered).isSound)
  }

  @Test func `a saved list with adopted keys, revisions and settled attachments is sound`()
    async throws
  {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    let call = Entry.ToolCall(id: "1", tool: "Draw")
    try await session.append([.prompt("Draw."), .toolCalls([call])])
    let pending = try await session.attach(.awaited(madeBy: .toolCall(call)))
    try await session.append(.toolOutput(for: call, text: "It is \(pending.label)."))
    try await session.append(.response("Here."))
    try await session.revise(3, to: .response("Here it is."))
    var list = try await session.entries.all()
    for index in list.indices {
      list[index].key = "key \(index)"
      list[index].attachments = []
    }
    try await session.save(list)
    list[3].segments = [.text("Here it is, again.")]
    try await session.save(list)
    try await session.settle(pending, with: .data(Data("pixels".utf8)))
    try await session.caption(pending, "a drawing")
    try await session.caption(pending, "a good one")
    try await session.append(
      .response(String(repeating: "A text that is kept as an artifact. ", count: 40_000)))
    let report = try await store.verify(.init(database: .full, readData: true))
    #expect(report.findings == [])
    #expect(report.counts.revisions == 2)
    let other = try OtherVerifier.run(store.url)
    #expect(other.status == 0, "\(other.faults)")

    try await session.erase(3)
    #expect(try await store.verify().isSound)
    #expect(try OtherVerifier.run(store.url).status == 0)
    try await store.removeTemporary()
  }

  @Test func `progress goes through all phases to the end`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let store = try await Store(at: made.path, options: .readOnly)
    let seen = Locked<[VerifyProgress]>([])
    _ = try await store.verify { progress in seen.withLock { $0.append(progress) } }
    await store.close()
    let phases = seen.withLock { $0.map(\.phase) }
    #expect(Set(phases) == Set(VerifyProgress.Phase.allCases))
    let sessions = seen.withLock { $0.last { $0.phase == .sessions } }
    #expect(sessions?.done == 4)
    #expect(sessions?.total == 4)
  }

  @Test func `verifying a closed store is an error and no finding`() async throws {
    let store = try await Store.temporary()
    try await store.removeTemporary()
    await #expect(throws: KeepsakeError.self) { try await store.verify() }
  }
}
