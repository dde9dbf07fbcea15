import KeepsakeSQLite

/// A row of `stream`: a stream of records that a program hands over one by one.
struct StreamRow {
  let key: StreamKey
  /// The import whose source holds the records; nil after the program deleted the stream.
  let `import`: Int64?
  /// The number of times that something was added or deleted.
  let appends: Int
  let updated: Int64
  /// The program's own summary of the stream.
  let summary: String?

  private static let columns = "project, session, part, import, appends, updated, summary"

  private init(_ row: borrowing Statement) throws {
    key = StreamKey(project: row.text(), session: row.text(), part: row.text())
    `import` = try row.optionalInt64(in: .row)
    appends = try row.int(in: .count)
    updated = row.int64()
    summary = row.optionalText()
  }

  /// Reads the row of a stream; nil if there is none.
  init?(_ key: StreamKey, in db: Tables) throws {
    let find = try db.connection.prepare(
      text: "SELECT \(Self.columns) FROM stream WHERE project = ? AND session = ? AND part = ?")
    Self.bind(key, to: find)
    guard try find.step() else { return nil }
    try self.init(find)
  }

  /// Returns the streams of a project, or of one conversation in it, that were not deleted.
  static func all(project: String, session: String? = nil, in db: Tables) throws -> [StreamRow] {
    let find = try db.connection.prepare(
      text: """
        SELECT \(columns) FROM stream
        WHERE project = ?1 AND (?2 IS NULL OR session = ?2) AND import IS NOT NULL
        ORDER BY session, part
        """)
    find.bind(project)
    find.bind(session)
    var rows: [StreamRow] = []
    while try find.step() { rows.append(try StreamRow(find)) }
    return rows
  }

  /// Tells whether a session belongs to another stream than one.
  static func isTaken(session: Int64, besides key: StreamKey, in db: Tables) throws -> Bool {
    let others = try db.connection.prepare(
      """
      SELECT 1 FROM stream AS s JOIN import AS i ON i.number = s.import
      WHERE i.session = ?1 AND NOT (s.project = ?2 AND s.session = ?3 AND s.part = ?4) LIMIT 1
      """)
    others.bind(session)
    bind(key, to: others)
    return try others.step()
  }

  /// Inserts the row of a stream, or notes in it that something was added.
  ///
  /// - Parameters:
  ///   - key: The stream.
  ///   - number: The import whose source now holds the records.
  ///   - time: The present time.
  ///   - summary: The program's own summary; nil to keep the one that is there.
  ///   - db: The tables.
  static func save(
    _ key: StreamKey, import number: Int64, at time: Int64, summary: String?, in db: Tables
  ) throws {
    let save = try db.connection.prepare(
      """
      INSERT INTO stream (project, session, part, import, appends, updated, summary)
      VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)
      ON CONFLICT (project, session, part) DO UPDATE SET import = excluded.import,
        appends = appends + 1, updated = max(updated, excluded.updated),
        summary = coalesce(excluded.summary, iif(import IS NULL, NULL, summary))
      """)
    bind(key, to: save)
    save.bind(number)
    save.bind(time)
    save.bind(summary)
    try save.run()
  }

  /// Marks the stream as deleted by its program.
  func delete(in db: Tables) throws {
    let update = try db.connection.prepare(
      """
      UPDATE stream SET import = NULL, summary = NULL, appends = appends + 1
      WHERE project = ? AND session = ? AND part = ?
      """)
    Self.bind(key, to: update)
    try update.run()
    // Without this row a later stream of the same key is read from its own start.
    try db.sources.forgetFile(at: key.place)
  }

  /// Deletes the rows of a session's streams, before its imports are deleted.
  static func forget(session: Int64, in db: Tables) throws {
    let delete = try db.connection.prepare(
      "DELETE FROM stream WHERE import IN (SELECT number FROM import WHERE session = ?)")
    delete.bind(session)
    try delete.run()
  }

  private static func bind(_ key: StreamKey, to statement: borrowing Statement) {
    statement.bind(key.project)
    statement.bind(key.session)
    statement.bind(key.part)
  }
}
