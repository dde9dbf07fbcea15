import Files
import Foundation
import SQLite
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
      #expect(report.counts.sessions == 3)
      #expect(report.counts.entries == 11)
      #expect(report.counts.revisions == 2)
      #expect(report.counts.attachments == 5)
      #expect(report.counts.invocations == 2)
      #expect(report.counts.artifacts == 4)
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

  @Test func `a chain that was computed anew is found by its kept head alone`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let kept = try await TamperTests.verify(made.path).heads
    let db = try Connection(
      path: made.path.appending(path: "store.sqlite").path, access: .readWrite)
    // The third session: cut its last entry off and fold what is left.
    let find = try db.prepare(
      "SELECT id, created, (SELECT digest FROM entry WHERE id = 3 << 24), (SELECT digest FROM entry WHERE id = (3 << 24) + 1) FROM session WHERE number = 3"
    )
    let isThere = try find.step()
    #expect(isThere)
    let (first, second) = (find.digest(2), find.digest(3))
    var chain = Chain(beginning: find.bytes(0), created: find.int64(1))
    chain.add(.append, position: 0, digest: try #require(first))
    chain.add(.append, position: 1, digest: try #require(second))
    find.reset()
    try db.execute("DELETE FROM entry WHERE id = (3 << 24) + 2")
    let update = try db.prepare(
      """
      UPDATE session SET head = ?, changes = 2, entries = 2,
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

  @Test func `an erased entry keeps its place in the chain and is no damage`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let db = try Connection(
      path: made.path.appending(path: "store.sqlite").path, access: .readWrite)
    let find = try db.prepare(
      "SELECT s.head, s.changes, e.digest, e.change FROM session AS s, entry AS e WHERE s.number = 1 AND e.id = (1 << 24) + 5"
    )
    let isThere = try find.step()
    #expect(isThere)
    let (storedHead, storedDigest) = (find.digest(0), find.digest(2))
    var chain = Chain(head: try #require(storedHead), count: find.int(1))
    let digest = try #require(storedDigest)
    let change = chain.add(.erase, position: 5, digest: digest)
    let old = find.int(3)
    find.reset()
    try db.execute(
      """
      INSERT INTO change SELECT 1, change, operation, 5, digest FROM entry WHERE change = \(old)
        AND id >> 24 = 1;
      UPDATE session SET changes = \(change), bytes = bytes - (SELECT sum(length(body)) FROM
        (SELECT body FROM revision UNION ALL SELECT body FROM entry WHERE id = (1 << 24) + 5))
      WHERE number = 1;
      UPDATE entry SET operation = 5, change = \(change), salt = NULL, body = NULL
      WHERE id = (1 << 24) + 5;
      UPDATE revision SET salt = NULL, body = NULL
      """)
    let update = try db.prepare("UPDATE session SET head = ? WHERE number = 1")
    update.bind(chain.head, at: 1)
    try update.run()
    db.close()

    let report = try await TamperTests.verify(made.path)
    #expect(report.findings.map(\.severity) == [.harmless], "\(report.findings)")
    #expect(report.isSound)
    #expect(report.counts.erased == 3)
    let other = try OtherVerifier.run(made.path)
    #expect(other.status == 0, "\(other.faults)")
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
    #expect(sessions?.done == 3)
    #expect(sessions?.total == 3)
  }

  @Test func `verifying a closed store is an error and no finding`() async throws {
    let store = try await Store.temporary()
    try await store.removeTemporary()
    await #expect(throws: KeepsakeError.self) { try await store.verify() }
  }
}
