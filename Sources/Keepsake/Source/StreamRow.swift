#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// A row of `stream`.
struct StreamRow {
  let key: StreamKey
  /// The import whose source holds its records; nil once the program deleted it.
  let `import`: Int64?
  let appends: Int
  let updated: Int64
  let summary: String?

  private static let columns = "project, session, part, import, appends, updated, summary"

  private init(_ row: borrowing Statement) throws {
    key = StreamKey(project: row.text(), session: row.text(), part: row.text())
    `import` = try row.optionalInt64(in: .row)
    appends = try row.int(in: .count)
    updated = row.int64()
    summary = row.optionalText()
  }

  init?(_ key: StreamKey, in db: Tables) throws {
    let find = try db.prepare(
      text: "SELECT \(Self.columns) FROM stream WHERE project = ? AND session = ? AND part = ?")
    Self.bind(key, to: find)
    guard try find.step() else { return nil }
    try self.init(find)
  }

  /// Those of a project, or of one conversation in it, without what was deleted.
  static func all(project: String, session: String? = nil, in db: Tables) throws -> [StreamRow] {
    let find = try db.prepare(
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

  /// Notes that something was added to a stream.
  /// - Parameters:
  ///   - append: What was said of it.
  ///   - number: The import whose source holds its records by now.
  ///   - session: The session of that import.
  static func note(
    _ append: StreamAppend, import number: Int64, of session: Session, in change: Change
  ) throws {
    let db = change.db
    let former = try StreamRow(append.key, in: db)
    if append.summary != nil, let seen = append.seen, seen != former?.appends ?? 0 {
      throw StreamError.grown
    }
    let others = try db.prepare(
      """
      SELECT 1 FROM stream AS s JOIN import AS i ON i.number = s.import
      WHERE i.session = ?1 AND NOT (s.project = ?2 AND s.session = ?3 AND s.part = ?4) LIMIT 1
      """)
    others.bind(session.number)
    others.bind(append.key.project)
    others.bind(append.key.session)
    others.bind(append.key.part)
    if try others.step() { throw StreamError.taken }
    others.reset()
    let save = try db.prepare(
      """
      INSERT INTO stream (project, session, part, import, appends, updated, summary)
      VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)
      ON CONFLICT (project, session, part) DO UPDATE SET import = excluded.import,
        appends = appends + 1, updated = max(updated, excluded.updated),
        summary = coalesce(excluded.summary, iif(import IS NULL, NULL, summary))
      """)
    bind(append.key, to: save)
    save.bind(number)
    save.bind(change.now())
    save.bind(append.summary)
    try save.run()
    if append.hasGap {
      try change.log(.gap, [("session", .string(session.id.uuidString.lowercased()))])
    }
  }

  /// Marks a stream as deleted by its program.
  func delete(in db: Tables) throws {
    let update = try db.prepare(
      """
      UPDATE stream SET import = NULL, summary = NULL, appends = appends + 1
      WHERE project = ? AND session = ? AND part = ?
      """)
    Self.bind(key, to: update)
    try update.run()
    // Without this row a later stream of the same key is read from its own start.
    let forget = try db.prepare("DELETE FROM seen_file WHERE place = ?")
    forget.bind(key.place)
    try forget.run()
  }

  /// Forgets the streams of a session that goes, before its imports do.
  static func forget(session: Int64, in db: Tables) throws {
    let delete = try db.prepare(
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
