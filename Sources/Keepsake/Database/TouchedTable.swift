#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// The statements over the list of rows that the writer's connection changed, for commits.
///
/// Triggers write the list, also where the code that changes a row does not think of it. It is temporary: the connection alone
/// sees it, and has it in memory. It follows the connection's transactions, so that what is rolled back is on no list.
struct TouchedTable {
  let db: Connection
}

extension Tables {
  var touched: TouchedTable { TouchedTable(db: connection) }
}

extension TouchedTable {
  /// Begins to list the rows that change on this connection.
  func begin(_ tables: [CarriedTable] = CarriedTable.all) throws {
    try db.execute(
      """
      CREATE TEMP TABLE touched (
        session INTEGER NOT NULL, kind INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL,
        place INTEGER NOT NULL, PRIMARY KEY (session, kind, first, second)) WITHOUT ROWID;
      -- The chain that a session had when it was first touched; without one the session is new.
      CREATE TEMP TABLE touched_base (session INTEGER PRIMARY KEY, changes INTEGER, head BLOB);
      CREATE TEMP TABLE touched_removal (id BLOB PRIMARY KEY, session INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TEMP TABLE touched_artifact (digest BLOB PRIMARY KEY) WITHOUT ROWID;
      CREATE TEMP TRIGGER touched_artifact_gone AFTER DELETE ON main.artifact BEGIN
        INSERT INTO touched_artifact SELECT OLD.digest
          WHERE NOT EXISTS (SELECT 1 FROM touched_artifact WHERE digest = OLD.digest); END;
      CREATE TEMP TRIGGER touched_begun AFTER INSERT ON main.session BEGIN
        INSERT INTO touched_base VALUES (NEW.number, NULL, NULL); END;
      CREATE TEMP TRIGGER touched_moved AFTER UPDATE OF changes ON main.session BEGIN
        INSERT INTO touched_base SELECT OLD.number, OLD.changes, OLD.head
          WHERE NOT EXISTS (SELECT 1 FROM touched_base WHERE session = OLD.number); END;
      -- Another session may get its number.
      CREATE TEMP TRIGGER touched_gone AFTER DELETE ON main.session BEGIN
        DELETE FROM touched WHERE session = OLD.number;
        DELETE FROM touched_base WHERE session = OLD.number; END;
      CREATE TEMP TRIGGER touched_hidden AFTER UPDATE OF state ON main.session
        WHEN OLD.state = \(SessionPresence.shown.rawValue) AND NEW.state = \(SessionPresence.purged.rawValue) BEGIN
        INSERT INTO touched_removal VALUES (NEW.id, NEW.number); END;
      """)
    for table in tables { try db.execute(table.triggers) }
  }

  /// Tells whether the rows that change are listed.
  func hasBegun() throws -> Bool {
    try db.integer("SELECT EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'touched')") == 1
  }

  /// Returns the numbers of the sessions of which rows changed, the parents before their forks.
  func sessions() throws -> [Int64] {
    let find = try db.prepare(
      """
      SELECT session FROM touched WHERE session > 0
      UNION SELECT i.session FROM touched AS t JOIN import AS i ON i.source = t.first
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
    let find = try db.prepare("SELECT id FROM touched_removal ORDER BY session DESC")
    var ids: [UUID] = []
    while try find.step() { if let id = UUID(bytes: find.bytes()) { ids.append(id) } }
    return ids
  }

  /// A session that was touched.
  struct Standing {
    let id: UUID
    let presence: SessionPresence
    /// The chain as it is now.
    let end: Chain
    /// The chain as it was when the session was first touched; nil if the session is new.
    let base: Chain?
  }

  /// Reads how a touched session stands; nil if it is gone.
  func standing(of session: Int64) throws -> Standing? {
    let find = try db.prepare(
      """
      SELECT s.id, s.state, s.changes, s.head, b.session IS NOT NULL, b.changes, b.head
      FROM session AS s LEFT JOIN touched_base AS b ON b.session = s.number WHERE s.number = ?
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

  /// Forgets the rows of a session.
  func forget(_ session: Int64) throws {
    for sql: StaticString in [
      """
      DELETE FROM touched WHERE session = 0 AND first IN (SELECT source FROM import WHERE session = ?)
      """,
      "DELETE FROM touched WHERE session = ?", "DELETE FROM touched_base WHERE session = ?",
    ] {
      let statement = try db.prepare(sql)
      statement.bind(session)
      try statement.run()
    }
  }

  /// Returns the artifacts that were removed and did not come again.
  func removedArtifacts() throws -> [SHA256Digest] {
    let find = try db.prepare(
      "SELECT digest FROM touched_artifact WHERE digest NOT IN (SELECT digest FROM artifact)")
    var digests: [SHA256Digest] = []
    while try find.step() { if let digest = find.digest() { digests.append(digest) } }
    return digests
  }

  /// Forgets which sessions were deleted, and which artifacts were removed.
  func forgetRemovals() throws {
    try db.prepare("DELETE FROM touched_removal").run()
    try db.prepare("DELETE FROM touched_artifact").run()
  }
}

// MARK: - Rows

extension TouchedTable {
  /// Passes the touched rows of a kind in a session to a closure, in their order. A row that is not there any more has no record.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - session: The number of the session.
  ///   - take: A closure that gets the name of each row, its number or id in this store, and its record.
  func forEach(
    _ kind: CopyRecord.Kind, of session: Int64,
    _ take: (SessionCommit.Gone, _ place: Int64, CopyRecord?) throws -> Void
  ) throws {
    let find = try db.prepare(text: Self.selections[kind.code])
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

  private static let selections = CopyRecord.Kind.allCases.map { kind in
    guard let match = kind.match else { return "" }
    let columns = kind.table.columns.map(\.expression).joined(separator: ", ")
    // The pieces of a file are listed with the number of the file's source, which has an import in the session.
    if kind == .piece {
      return """
        SELECT \(columns), i.recorded, t.second, t.place, x.id
        FROM import AS i JOIN touched AS t ON t.session = 0 AND t.kind = ?2 AND t.first = i.source
        LEFT JOIN source_piece AS x ON \(match) WHERE i.session = ?1 ORDER BY i.recorded, t.second
        """
    }
    var tables = kind.table.rows.split(separator: " JOIN ").map(String.init)
    tables[0] += " ON \(match)"
    return """
      SELECT \(columns), t.first, t.second, t.place, \(kind.present)
      FROM touched AS t LEFT JOIN \(tables.joined(separator: " LEFT JOIN "))
      WHERE t.session = ?1 AND t.kind = ?2 ORDER BY t.first, t.second
      """
  }
}

extension CopyRecord.Kind {
  /// The kind under which the rows of this one are listed.
  fileprivate var listed: Self {
    switch self {
    case .standing: .session
    case .recognition: .source
    default: self
    }
  }

  /// The SQL condition that finds the row `x` of the kind by its place in the list `t`; nil for a kind without a row.
  fileprivate var match: String? {
    switch self {
    case .session, .standing: "x.number = t.session"
    case .saved: "x.session = t.session"
    case .turn, .change: "x.session = t.session AND x.number = t.first"
    // Another session's row may have the number by now.
    case .invocation, .attachment, .source, .recognition:
      "x.number = t.place AND x.session = t.session AND x.recorded = t.first"
    case .entry, .piece: "x.id = t.place"
    case .revision: "x.entry = t.place AND x.number = t.second"
    case .span: nil
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
