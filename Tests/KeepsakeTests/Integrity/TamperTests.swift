import Foundation
import Keepsake
import Testing

@Suite("Tampering with a store")
struct TamperTests {
  /// What no digest covers, why, and so by what else a change is found.
  static let notInTheChain: [String: String] = [
    "attachment.number": "local to the store; its order among its session's is checked",
    "invocation.number": "local to the store; attachments refer to it, and its order is checked",
  ]

  static let keys = [
    "entry": ["id"], "revision": ["entry", "number"], "tool_call": ["entry", "ordinal"],
    "attachment": ["number"], "invocation": ["number"], "change": ["session", "number"],
  ]

  /// Every column that there is, with every kind of change that it allows.
  private func changes(to table: String, in made: EverythingStore) throws -> [(
    column: String, sql: String
  )] {
    let keys = try #require(Self.keys[table])
    let key = keys.joined(separator: ", ")
    var changes: [(String, String)] = []
    let columns = try made.values(
      "SELECT name || ' ' || type || ' ' || \"notnull\" FROM pragma_table_info('\(table)')")
    for description in columns {
      let parts = description.split(separator: " ").map(String.init)
      let (column, type, isRequired) = (parts[0], parts[1], parts[2] == "1")
      func change(to value: String, where condition: String) throws {
        let find = "FROM \(table) WHERE \(column) \(condition) ORDER BY \(key) LIMIT 1"
        guard try !made.values("SELECT 1 \(find)").isEmpty else { return }
        changes.append(
          (
            "\(table).\(column)",
            "UPDATE \(table) SET \(column) = \(value) WHERE (\(key)) = (SELECT \(key) \(find))"
          ))
      }
      let isKey = keys.contains(column) && column != "session"
      let (other, some) =
        switch type {
        case "INTEGER": ("\(column) + \(isKey ? 1000 : 1)", "1")
        case "TEXT": ("\(column) || 'x'", "'x'")
        default: ("randomblob(length(\(column)))", "zeroblob(16)")
        }
      try change(to: other, where: "IS NOT NULL")
      if !isRequired, !isKey {
        try change(to: some, where: "IS NULL")
        try change(to: "NULL", where: "IS NOT NULL")
      }
    }
    #expect(Set(changes.map(\.0)).count == columns.count)
    return changes
  }

  @Test(arguments: keys.keys.sorted())
  func `G11: a change to any one column is found by the chain`(table: String) async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let changes = try changes(to: table, in: made)
    let copies = try changes.map { try made.copy($0.sql) }
    for ((column, sql), copy) in zip(changes, copies) {
      let damage = try await Self.verify(copy).findings.filter { $0.severity == .damaged }
      let byTheChain = damage.filter { $0.object.contains("session") }
      #expect(
        !(Self.notInTheChain[column] == nil ? byTheChain : damage).isEmpty,
        "not found: \(sql)")
    }
    let statuses = try OtherVerifier.statuses(copies)
    try #require(statuses.count == copies.count)
    for ((_, sql), status) in zip(changes, statuses) {
      #expect(status == 2, "not found by the other verifier: \(sql)")
    }
  }

  static func verify(_ store: URL, _ options: VerifyOptions = .init()) async throws -> VerifyReport
  {
    let opened = try await Store(at: store, options: .readOnly)
    do {
      let report = try await opened.verify(options)
      await opened.close()
      return report
    } catch {
      await opened.close()
      throw error
    }
  }

  struct Forgery: Sendable {
    let name: String
    let sql: String
    /// What alone gives it away.
    let fault: String?

    init(_ name: String, _ sql: String, fault: String? = nil) {
      self.name = name
      self.sql = sql
      self.fault = fault
    }

    /// A row whose first change is put back in the place of its second, with all that the chain says of both.
    static func putBack(_ name: String, _ table: String, _ number: Int, _ columns: String) -> Self {
      Self(
        name,
        """
        CREATE TEMP TABLE now AS SELECT session, recorded, operation, change, digest FROM \(table)
          WHERE number = \(number);
        UPDATE \(table) SET \(columns), (operation, change, digest) =
          (SELECT c.operation, c.number, c.digest FROM change AS c JOIN now
            ON c.session = now.session AND c.number = now.recorded)
        WHERE number = \(number);
        DELETE FROM change WHERE (session, number) = (SELECT session, recorded FROM now);
        INSERT INTO change SELECT session, change, operation, recorded, digest FROM now
        """, fault: "It was put back to what it was before change")
    }
  }

  private static let runBefore = "ended = NULL, outcome = NULL, detail = NULL, output = NULL"

  /// The first session is number 1, its fork is number 2.
  static let forgeries = [
    Forgery("an entry deleted", "DELETE FROM entry WHERE id = (1 << 24) + 1"),
    Forgery(
      "the end cut off, and the counters with it",
      """
      DELETE FROM entry WHERE id = (2 << 24) + 5;
      UPDATE session SET entries = entries - 1, changes = changes - 1 WHERE number = 2
      """),
    Forgery(
      "two entries in each other's place",
      """
      UPDATE entry SET id = -1 WHERE id = (1 << 24) + 3;
      UPDATE entry SET id = (1 << 24) + 3 WHERE id = (1 << 24) + 4;
      UPDATE entry SET id = (1 << 24) + 4 WHERE id = -1
      """),
    Forgery(
      "two entries' contents exchanged, with their salts and digests",
      """
      CREATE TEMP TABLE kept AS SELECT id, salt, digest, body, uuid FROM entry;
      UPDATE entry SET (salt, digest, body, uuid) =
        (SELECT salt, digest, body, uuid FROM kept WHERE kept.id = (1 << 24) + 4)
      WHERE id = (1 << 24) + 3;
      UPDATE entry SET (salt, digest, body, uuid) =
        (SELECT salt, digest, body, uuid FROM kept WHERE kept.id = (1 << 24) + 3)
      WHERE id = (1 << 24) + 4
      """),
    Forgery(
      "a byte moved from the body to the salt",
      """
      UPDATE entry SET salt = CAST(salt || x'7b' AS BLOB), body = substr(body, 2)
      WHERE id = 1 << 24
      """),
    Forgery(
      "content gone as if it had been erased",
      "UPDATE entry SET salt = NULL, body = NULL WHERE id = 1 << 24"),
    Forgery(
      "content gone as if it had been erased, with the operation",
      "UPDATE entry SET salt = NULL, body = NULL, operation = 13 WHERE id = 1 << 24"),
    Forgery(
      "an entry put back to its first content, the newest in the archive instead",
      """
      CREATE TEMP TABLE now AS SELECT id, operation, change, digest FROM entry WHERE change =
        (SELECT max(change) FROM entry WHERE operation = 3);
      CREATE TEMP TABLE first AS SELECT * FROM revision WHERE number = 1;
      UPDATE entry SET (status, operation, change, salt, digest, body) =
        (SELECT status, operation, change, salt, digest, body FROM first)
      WHERE id = (SELECT id FROM now);
      DELETE FROM revision;
      DELETE FROM change WHERE number = (SELECT change FROM first);
      INSERT INTO change SELECT 1, change, operation, 5, digest FROM now
      """),
    Forgery("an earlier content deleted", "DELETE FROM revision WHERE number = 2"),
    Forgery(
      "two earlier contents exchanged",
      """
      UPDATE revision SET number = 9 WHERE number = 1;
      UPDATE revision SET number = 1 WHERE number = 2;
      UPDATE revision SET number = 2 WHERE number = 9
      """),
    Forgery(
      "an attachment deleted, and the counters with it",
      """
      DELETE FROM attachment WHERE number = 1;
      UPDATE session SET attachments = attachments - 1 WHERE number = 1
      """),
    .putBack(
      "an attachment put back to before it was bound", "attachment", 2,
      "entry = NULL, segment = NULL, range_start = NULL, range_end = NULL"),
    .putBack("a run put back to before it ended", "invocation", 2, runBefore),
    .putBack("the older of two captioned attachments put back", "attachment", 6, "captions = NULL"),
    .putBack("the newer of two captioned attachments put back", "attachment", 7, "captions = NULL"),
    .putBack("the older of two ended runs put back", "invocation", 3, runBefore),
    .putBack("the newer of two ended runs put back", "invocation", 4, runBefore),
    Forgery(
      "a row that says that another change recorded it",
      "UPDATE attachment SET recorded = 2 WHERE number = 6"),
    Forgery(
      "two attachments in each other's place",
      """
      UPDATE attachment SET number = -1 WHERE number = 4;
      UPDATE attachment SET number = 4 WHERE number = 5;
      UPDATE attachment SET number = 5 WHERE number = -1
      """),
    Forgery(
      "two attachments' artifacts exchanged",
      "UPDATE attachment SET artifact = CASE artifact WHEN 1 THEN 2 ELSE 1 END WHERE artifact < 3"),
    Forgery(
      "another artifact behind the same number",
      "UPDATE artifact SET digest = zeroblob(32) WHERE number = 1"),
    Forgery(
      "a run deleted",
      "DELETE FROM invocation WHERE number = 2"),
    Forgery("a run's identifier", "UPDATE invocation SET id = zeroblob(16) WHERE number = 1"),
    Forgery(
      "an old link deleted", "DELETE FROM change WHERE number = (SELECT min(number) FROM change)"),
    Forgery("all old links deleted", "DELETE FROM change"),
    Forgery(
      "two old links exchanged",
      """
      CREATE TEMP TABLE kept AS SELECT * FROM change WHERE session = 1 ORDER BY number LIMIT 2;
      UPDATE change SET digest = (SELECT digest FROM kept WHERE kept.number <> change.number)
      WHERE number IN (SELECT number FROM kept)
      """),
    Forgery(
      "a link that never was",
      "INSERT INTO change SELECT session, number + 900, operation, position, digest FROM change LIMIT 1"
    ),
    Forgery(
      "a tool call that no body names",
      "INSERT INTO tool_call VALUES ((1 << 24) + 2, 2, 'call-3', 'Draw')"),
    Forgery("a tool call deleted", "DELETE FROM tool_call WHERE call_id = 'call-2'"),
    Forgery(
      "an output that answers another session's call",
      "UPDATE entry SET call_entry = (3 << 24) + 2 WHERE call_entry = (1 << 24) + 2"),
    Forgery("when a session began", "UPDATE session SET created = created + 1 WHERE number = 1"),
    Forgery("a session's identifier", "UPDATE session SET id = zeroblob(16) WHERE number = 3"),
    Forgery("a session's head", "UPDATE session SET head = zeroblob(32) WHERE number = 3"),
    Forgery(
      "how many changes there were", "UPDATE session SET changes = changes + 1 WHERE number = 1"),
    Forgery(
      "how many entries there are", "UPDATE session SET entries = entries + 1 WHERE number = 2"),
    Forgery("a fork's parent", "UPDATE session SET parent = 3 WHERE number = 2"),
    Forgery("a fork without its parent", "UPDATE session SET parent = NULL WHERE number = 2"),
    Forgery("where it forked", "UPDATE session SET fork_position = 5 WHERE number = 2"),
    Forgery("when it forked", "UPDATE session SET fork_change = 3 WHERE number = 2"),
    Forgery("what it forked from", "UPDATE session SET fork_head = zeroblob(32) WHERE number = 2"),
    Forgery("a session deleted", "DELETE FROM session WHERE number = 3"),
    Forgery("a fork's parent deleted", "DELETE FROM session WHERE number = 1"),
  ]

  @Test func `G11: deleting, swapping, truncating and putting back is found`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let copies = try Self.forgeries.map { try made.copy($0.sql) }
    let statuses = try OtherVerifier.statuses(copies)
    try #require(statuses.count == copies.count)
    for ((forgery, copy), status) in zip(zip(Self.forgeries, copies), statuses) {
      let report = try await Self.verify(copy)
      #expect(
        report.findings.contains { $0.severity == .damaged }, "not found: \(forgery.name)")
      if let fault = forgery.fault {
        #expect(
          report.findings.allSatisfy { $0.severity != .damaged || $0.what.hasPrefix(fault) },
          "\(forgery.name): \(report.findings)")
      }
      #expect(status == 2, "not found by the other verifier: \(forgery.name)")
    }
  }

  @Test(arguments: ["salt = zeroblob(15)", "digest = zeroblob(31)", "operation = 99"])
  func `what is attached is shown without its link, but not written`(damage: String) async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let entry = try await session.append(.prompt("a map"), attaching: [.init(.bytes([1, 2, 3]))])
    await store.close()
    try EverythingStore.tamper(with: folder.store, "UPDATE attachment SET \(damage)")
    #expect(
      try await Self.verify(folder.store).findings.contains { $0.severity == .damaged })
    let damaged = try await Store(at: folder.store)
    let same = try await damaged.session(session.id)
    let shown = try await same.entries.all()
    #expect(shown == [entry])
    #expect(try await shown[0].attachments[0].data() == Data([1, 2, 3]))
    let error = await keepsakeError {
      try await same.caption(shown[0].attachments[0], "of the coast")
    }
    #expect(error?.code == .damaged)
    await damaged.close()
  }

  /// The entry stands at position 3, was erased, and then change 3, which recorded an attachment, was followed by
  /// another one of that attachment.
  @Test func `an erased entry that is put back is found, whatever else its position names`()
    async throws
  {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let store = try await Store(at: made.path)
    let session = try await store.createSession()
    try await session.append([.prompt("a"), .response("b")])
    let sketch = try await session.attach(.init(.bytes([1]), madeBy: .step("Sketch")))
    try await session.append([.prompt("c"), .response("a secret")])
    await store.close()
    let kept = try made.values(
      """
      SELECT 'UPDATE entry SET operation = 1, change = ' || change || ', salt = x''' || hex(salt) ||
        ''', digest = x''' || hex(digest) || ''', body = ' || quote(body) || ' WHERE id = ' || id
      FROM entry WHERE body LIKE '%a secret%'
      """)
    let again = try await Store(at: made.path)
    let reopened = try await again.session(session.id)
    try await reopened.erase(3)
    try await reopened.caption(sketch, "changed after that erase")
    await again.close()
    #expect(try await Self.verify(made.path).isSound)

    let forged = try made.copy(
      """
      CREATE TEMP TABLE now AS SELECT id, operation, change, digest FROM entry WHERE body IS NULL;
      \(kept.joined(separator: ";"));
      DELETE FROM change WHERE (session, number) =
        (SELECT e.id >> 24, e.change FROM entry AS e JOIN now ON now.id = e.id);
      INSERT INTO change SELECT id >> 24, change, operation, id & 16777215, digest FROM now;
      """)
    let report = try await Self.verify(forged)
    #expect(report.findings.contains { $0.what.hasPrefix("It was put back to what it was before") })
    #expect(try OtherVerifier.statuses([made.path, forged]) == [0, 2])
  }
}
