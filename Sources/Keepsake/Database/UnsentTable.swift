#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// The statements over the list of rows that changed here and were not offered to a hub yet.
///
/// Temporary triggers of the writer's connection write the list, also where the code that changes a row does not think of it.
/// The list itself is a part of the database: it follows the transactions, and all processes share it.
struct UnsentTable {
  let db: Connection
}

extension Tables {
  var unsent: UnsentTable { UnsentTable(db: connection) }
}

// MARK: - Listing

extension UnsentTable {
  /// Begins to list the rows that change on this connection.
  func begin(_ tables: [CarriedTable] = CarriedTable.all) throws {
    try db.execute(
      """
      -- While this table has a row, nothing is listed.
      CREATE TEMP TABLE unsent_pause (one INTEGER PRIMARY KEY);
      -- Also where others erased it, because this store may have put it at the hub again before it knew.
      CREATE TEMP TRIGGER unsent_artifact_gone AFTER DELETE ON main.artifact
        WHEN NOT EXISTS (SELECT 1 FROM unsent_artifact WHERE digest = OLD.digest) BEGIN
        INSERT INTO unsent_artifact VALUES (OLD.digest); END;
      CREATE TEMP TRIGGER unsent_begun AFTER INSERT ON main.session WHEN \(Self.listing) BEGIN
        INSERT INTO unsent_session VALUES (NEW.number, NULL, NULL); END;
      CREATE TEMP TRIGGER unsent_moved AFTER UPDATE OF changes ON main.session
        WHEN \(Self.listing) AND NOT EXISTS (SELECT 1 FROM unsent_session WHERE session = OLD.number) BEGIN
        INSERT INTO unsent_session VALUES (OLD.number, OLD.changes, OLD.head); END;
      -- Another session or file may get the number.
      CREATE TEMP TRIGGER unsent_gone AFTER DELETE ON main.session BEGIN
        DELETE FROM unsent WHERE session = OLD.number;
        DELETE FROM unsent_session WHERE session = OLD.number; END;
      CREATE TEMP TRIGGER unsent_source_gone AFTER DELETE ON main.source BEGIN
        DELETE FROM unsent WHERE session = 0 AND first = OLD.number; END;
      CREATE TEMP TRIGGER unsent_hidden AFTER UPDATE OF state ON main.session
        WHEN OLD.state = \(SessionPresence.shown.rawValue) AND NEW.state = \(SessionPresence.purged.rawValue)
          AND \(Self.listing) BEGIN
        INSERT INTO unsent_removal VALUES (NEW.id, NEW.number); END;
      """)
    for table in tables { try db.execute(table.triggers) }
  }

  /// The SQL condition that is true while rows are listed.
  static let listing = "NOT EXISTS (SELECT 1 FROM unsent_pause)"

  /// Tells whether the rows that change on this connection are listed.
  func hasBegun() throws -> Bool {
    try db.integer("SELECT EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'unsent_pause')")
      == 1
  }

  /// Ends the listing, and forgets all that was listed.
  func end() throws {
    if try hasBegun() {
      let find = try db.prepare("SELECT name FROM sqlite_temp_schema WHERE type = 'trigger'")
      var names: [String] = []
      while try find.step() { names.append(find.text()) }
      find.reset()
      for name in names { try db.execute("DROP TRIGGER temp.\(name)") }
      try db.execute("DROP TABLE temp.unsent_pause")
    }
  }

  /// Runs a body that changes rows which nobody has to be told of, because they came from the hub.
  func pausing<Result>(_ body: () throws -> Result) throws -> Result {
    guard try hasBegun() else { return try body() }
    try db.prepare("INSERT INTO unsent_pause VALUES (1)").run()
    let result = try body()
    // After an error the request's savepoint takes the row away.
    try db.prepare("DELETE FROM unsent_pause").run()
    return result
  }

  /// Forgets all that is listed.
  func clear() throws {
    for sql: StaticString in [
      "DELETE FROM unsent", "DELETE FROM unsent_session", "DELETE FROM unsent_removal",
      "DELETE FROM unsent_artifact",
    ] {
      try db.prepare(sql).run()
    }
  }

  /// Lists all rows of a session, as what changed since its chain was at a point; nil for a session that is told as a whole.
  func list(_ session: Int64, since base: Chain?) throws {
    try forget(session)
    for table in CarriedTable.all { try db.execute(table.listing(of: session)) }
    let insert = try db.prepare("INSERT INTO unsent_session VALUES (?, ?, ?)")
    insert.bind(session)
    insert.bind(base.map { Int64($0.count) })
    insert.bind(base?.head)
    try insert.run()
  }
}

// MARK: - Reading

extension UnsentTable {
  /// Returns the numbers of the sessions of which rows are listed, the parents before their forks.
  func sessions() throws -> [Int64] {
    let find = try db.prepare(
      """
      SELECT session FROM unsent WHERE session > 0
      UNION SELECT i.session FROM unsent AS t JOIN import AS i ON i.source = t.first
        WHERE t.session = 0 AND t.kind = ?
      ORDER BY 1
      """)
    find.bind(CopyRecord.Kind.piece.code)
    var sessions: [Int64] = []
    while try find.step() { sessions.append(find.int64()) }
    return sessions
  }

  /// Returns the ids of the sessions that were deleted, the forks before their parents.
  func removals() throws -> [UUID] {
    try ids(db.prepare("SELECT id FROM unsent_removal ORDER BY session DESC"))
  }

  /// Returns the ids of the deleted sessions of which the hub may have to be told again.
  func tellingsAgain() throws -> [UUID] {
    try ids(db.prepare("SELECT id FROM unsent_removal WHERE session = 0"))
  }

  private func ids(_ find: borrowing Statement) throws -> [UUID] {
    var ids: [UUID] = []
    while try find.step() { if let id = UUID(bytes: find.bytes()) { ids.append(id) } }
    return ids
  }

  /// A session of which rows are listed.
  struct Standing {
    let id: UUID
    let presence: SessionPresence
    /// The chain as it is now.
    let end: Chain
    /// The chain as it was before its first change that is listed; nil for a session that is told as a whole, as a new one is.
    let base: Chain?
  }

  /// Reads how a listed session stands; nil if it is gone.
  func standing(of session: Int64) throws -> Standing? {
    let find = try db.prepare(
      """
      SELECT s.id, s.state, s.changes, s.head, b.session IS NOT NULL, b.changes, b.head
      FROM session AS s LEFT JOIN unsent_session AS b ON b.session = s.number WHERE s.number = ?
      """)
    find.bind(session)
    guard try find.step() else { return nil }
    guard let id = UUID(bytes: find.bytes(0)),
      let presence = SessionPresence(rawValue: find.int(1)),
      let head = find.digest(3)
    else { throw KeepsakeError.lostIdentifier(ofSession: session) }
    let end = Chain(head: head, count: try find.int(2, in: .count))
    guard find.bool(4) else { return Standing(id: id, presence: presence, end: end, base: end) }
    let count = try find.optionalInt(5, in: .count)
    let base = find.digest(6).flatMap { head in count.map { Chain(head: head, count: $0) } }
    return Standing(id: id, presence: presence, end: end, base: base)
  }

  /// Tells whether a session is listed to be told as a whole.
  func isToldWhole(_ session: Int64) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM unsent_session WHERE session = ? AND changes IS NULL")
    find.bind(session)
    return try find.step()
  }

  /// Tells whether rows of a session are listed.
  func has(_ session: Int64) throws -> Bool {
    let find = try db.prepare(
      """
      SELECT EXISTS (SELECT 1 FROM unsent WHERE session = ?1)
        OR EXISTS (SELECT 1 FROM import AS i JOIN unsent AS t ON t.session = 0 AND t.first = i.source
          WHERE i.session = ?1)
      """)
    find.bind(session)
    return try find.step() && find.bool()
  }

  /// Forgets the rows of a session.
  func forget(_ session: Int64) throws {
    for sql: StaticString in [
      """
      DELETE FROM unsent WHERE session = 0 AND first IN (SELECT source FROM import WHERE session = ?)
      """,
      "DELETE FROM unsent WHERE session = ?", "DELETE FROM unsent_session WHERE session = ?",
    ] {
      let statement = try db.prepare(sql)
      statement.bind(session)
      try statement.run()
    }
  }

  /// Returns the artifacts that were removed and did not come again.
  func removedArtifacts() throws -> [SHA256Digest] {
    let find = try db.prepare(
      "SELECT digest FROM unsent_artifact WHERE digest NOT IN (SELECT digest FROM artifact)")
    var digests: [SHA256Digest] = []
    while try find.step() { if let digest = find.digest() { digests.append(digest) } }
    return digests
  }

  /// Forgets artifacts that were removed, and those that came again.
  func forget(removed digests: [SHA256Digest]) throws {
    let forget = try db.prepare("DELETE FROM unsent_artifact WHERE digest = ?")
    for digest in digests {
      forget.bind(digest)
      try forget.run()
    }
    try db.prepare(
      "DELETE FROM unsent_artifact WHERE digest IN (SELECT digest FROM artifact)"
    ).run()
  }

  /// Tells whether a session was deleted, and nobody was told yet.
  func hasRemoval(of session: UUID) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM unsent_removal WHERE id = ?")
    find.bind(session.bytes)
    return try find.step()
  }

  /// Tells whether the hub, which may know that a session was deleted, has to be told again.
  func hasTellingAgain(of session: UUID) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM unsent_removal WHERE id = ? AND session = 0")
    find.bind(session.bytes)
    return try find.step()
  }

  /// Lists that a session was deleted, whose rows may be gone, and that the hub has to be told again.
  func list(removal session: UUID) throws {
    let insert = try db.prepare(
      "INSERT INTO unsent_removal (id, session) VALUES (?, 0) ON CONFLICT (id) DO NOTHING")
    insert.bind(session.bytes)
    try insert.run()
  }

  /// Forgets that a session was deleted.
  func forget(removal session: UUID) throws {
    let forget = try db.prepare("DELETE FROM unsent_removal WHERE id = ?")
    forget.bind(session.bytes)
    try forget.run()
  }

  /// Forgets which sessions were deleted, and which artifacts were removed.
  func forgetRemovals() throws {
    try db.prepare("DELETE FROM unsent_removal").run()
    try db.prepare("DELETE FROM unsent_artifact").run()
  }
}

// MARK: - Rows

extension UnsentTable {
  /// Returns the codes of the kinds of a session's unsent rows. The code of pieces is among them if any imported file has unsent pieces.
  func codes(of session: Int64) throws -> [Int] {
    // Each run of this statement finds the next code with one look into the index, however many rows a kind has.
    let next = try db.prepare(
      "SELECT kind FROM unsent WHERE session = ? AND kind > ? ORDER BY kind LIMIT 1")
    var codes: [Int] = []
    for session in [session, 0] {
      var code = -1
      while true {
        next.bind(session)
        next.bind(code)
        defer { next.reset() }
        guard try next.step() else { break }
        code = next.int()
        codes.append(code)
      }
    }
    return codes
  }

  /// Passes the listed rows of a kind in a session to a closure, in their order. A row that is not there any more has no record.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - session: The number of the session.
  ///   - take: A closure that gets the name of each row, its number or id in this store, and its record.
  func forEach(
    _ kind: CopyRecord.Kind, of session: Int64,
    _ take: (SessionCommit.Gone, _ place: Int64, CopyRecord?) throws -> Void
  ) throws {
    let find = try db.prepare(Self.selections[kind.code])
    find.bind(session)
    find.bind(kind.listed.code)
    let columns = kind.table.columns.count
    while try find.step() {
      let name = SessionCommit.Gone(
        kind: kind, first: find.int64(columns), second: find.int64(columns + 1))
      let isThere = !find.isNull(columns + 3)
      try take(name, find.int64(columns + 2), isThere ? try CopyRecord(kind, find) : nil)
    }
  }

  private static let selections = CopyRecord.Kind.allCases.map { ComposedSQL(selection(of: $0)) }

  private static func selection(of kind: CopyRecord.Kind) -> String {
    guard let match = kind.match else { return "" }
    let columns = kind.table.columns.map(\.expression).joined(separator: ", ")
    // The pieces of a file are listed with the number of the file's source, which has an import in the session.
    if kind == .piece {
      return """
        SELECT \(columns), i.recorded, t.second, t.place, x.id
        FROM import AS i JOIN unsent AS t ON t.session = 0 AND t.kind = ?2 AND t.first = i.source
        LEFT JOIN source_piece AS x ON \(match) WHERE i.session = ?1 ORDER BY i.recorded, t.second
        """
    }
    var tables = kind.table.rows.split(separator: " JOIN ").map(String.init)
    tables[0] += " ON \(match)"
    return """
      SELECT \(columns), t.first, t.second, t.place, \(kind.present)
      FROM unsent AS t LEFT JOIN \(tables.joined(separator: " LEFT JOIN "))
      WHERE t.session = ?1 AND t.kind = ?2 ORDER BY t.first, t.second
      """
  }
}

extension CopyRecord.Kind {
  /// The kind under which the rows of this one are listed.
  var listed: Self {
    switch self {
    case .recognition: .source
    default: self
    }
  }

  /// The SQL condition that finds the row `x` of the kind by its place in the list `t`; nil for a kind whose rows are read without the list.
  fileprivate var match: String? {
    switch self {
    case .saved: "x.session = t.session"
    case .turn, .change: "x.session = t.session AND x.number = t.first"
    // Another session's row may have the number by now.
    case .invocation, .attachment, .source, .recognition:
      "x.number = t.place AND x.session = t.session AND x.recorded = t.first"
    case .entry, .piece: "x.id = t.place"
    case .revision: "x.entry = t.place AND x.number = t.second"
    case .session, .standing, .span: nil
    }
  }

  /// The SQL expression that is NULL where the row `x` is not there.
  fileprivate var present: String {
    switch self {
    case .saved, .turn, .change: "x.session"
    case .entry, .piece: "x.id"
    case .revision: "x.entry"
    case .session, .standing, .invocation, .attachment, .source, .recognition, .span: "x.number"
    }
  }
}
