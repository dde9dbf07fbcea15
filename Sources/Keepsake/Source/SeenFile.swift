import KeepsakeFiles
import KeepsakeSQLite

/// A row of `seen_file`: a file that was imported, as it stood then.
enum SeenFile {
  /// Remembers a file.
  /// - Parameters:
  ///   - standing: How it stands.
  ///   - number: The import that took it over.
  ///   - remarks: What that said of its records.
  ///   - bookmark: Where its reading may go on; nil where it has to begin anew.
  ///   - changes: How many its session has.
  static func insert(
    _ standing: FileStanding, import number: Int64, _ remarks: [ImportReport.Skipped],
    _ bookmark: SourceBookmark?, changes: Int, in db: Tables
  ) throws {
    guard standing.isSettled || bookmark != nil else { return }
    let insert = try db.prepare(
      """
      INSERT OR REPLACE INTO seen_file
        (place, size, modified, changed, inode, tail, import, remarks, settled, reached, line,
          changes, reader)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    bind(standing, to: insert)
    insert.bind(number)
    insert.bind(remarks.isEmpty ? nil : json(remarks).text)
    insert.bind(standing.isSettled ? 1 : 0)
    insert.bind(bookmark?.offset)
    insert.bind(bookmark?.line)
    insert.bind(bookmark == nil ? nil : changes)
    insert.bind(bookmark?.reader)
    try insert.run()
  }

  /// What became of a file that stands as it did; nil where it was not seen so, or where that is gone since.
  static func find(_ standing: FileStanding, format: String?, in db: Tables) throws
    -> (session: Int64, format: String, remarks: String?)?
  {
    let find = try db.prepare(
      """
      SELECT i.session, s.format, f.remarks FROM seen_file AS f
        JOIN import AS i ON i.number = f.import
        JOIN source AS s ON s.number = i.source
        JOIN session AS t ON t.number = i.session
      WHERE f.place = ?1 AND f.size = ?2 AND f.modified = ?3 AND f.changed = ?4 AND f.inode = ?5
        AND f.tail = ?6 AND f.settled AND +t.state = ?8 AND s.identity IS NOT NULL
        AND (?7 IS NULL OR s.format = ?7)
      LIMIT 1
      """)
    bind(standing, to: find)
    find.bind(format)
    find.bind(SessionPresence.shown)
    guard try find.step() else { return nil }
    return (find.int64(), find.text(), find.optionalText())
  }

  /// What an import said of a file's records, from the text that is stored of it.
  /// - Parameter path: What the file is called now.
  static func remarks(_ stored: String?, path: String?) -> [ImportReport.Skipped] {
    let remarks = stored.flatMap { try? JSON(validating: $0) }?.arrayValue ?? []
    return remarks.map { remark in
      .init(
        path: path, line: remark["line"]?.intValue.map(Int.init),
        reason: remark["reason"]?.stringValue ?? "", isKept: remark["kept"]?.boolValue ?? false)
    }
  }

  /// Forgets what readers knew of a session's files, because something of it was erased.
  static func forgetReaders(session: Int64, in db: Tables) throws {
    let update = try db.prepare(
      """
      UPDATE seen_file SET reached = NULL, line = NULL, changes = NULL, reader = NULL
      WHERE import IN (SELECT number FROM import WHERE session = ?) AND reader IS NOT NULL
      """)
    update.bind(session)
    try update.run()
  }

  /// Forgets the files of a session that goes, before its imports do.
  static func forget(session: Int64, in db: Tables) throws {
    let delete = try db.prepare(
      """
      DELETE FROM seen_file WHERE import IN (SELECT number FROM import WHERE session = ?)
      """)
    delete.bind(session)
    try delete.run()
  }

  private static func bind(_ standing: FileStanding, to statement: borrowing Statement) {
    statement.bind(standing.place)
    statement.bind(standing.size)
    statement.bind(standing.modified)
    statement.bind(standing.changed)
    statement.bind(standing.inode)
    statement.bind(standing.tail)
  }

  private static func json(_ remarks: [ImportReport.Skipped]) -> JSON {
    .array(
      remarks.map { remark in
        var members: [(String, JSON)] = [
          ("reason", .string(remark.reason)), ("kept", .bool(remark.isKept)),
        ]
        if let line = remark.line { members.append(("line", .number(Int64(line)))) }
        return .object(members)
      })
  }
}

extension Store {
  /// What an import of a file would report that was imported before and stands there unchanged, without reading the file;
  /// nil for any other.
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - name: What the report calls the file.
  ///   - format: The name of its format; nil to take that which it was imported as.
  @concurrent
  package func knownFile(at path: String, as name: String, format: String?) async throws
    -> ImportReport?
  {
    guard let standing = try? FileStanding(OutsideFile.open(path), at: path) else { return nil }
    let core = core
    return try core.read { db in
      guard let seen = try SeenFile.find(standing, format: format, in: db),
        let summary = try SessionList.summary(of: seen.session, in: db)
      else { return nil }
      return ImportReport(
        sessions: [.init(summary, format: seen.format)],
        skipped: SeenFile.remarks(seen.remarks, path: name))
    }
  }
}

extension ImportReport.ImportedSession {
  /// A session as it is after an import; without more, one to which the import added nothing.
  init(
    _ summary: Session.Summary, format: String, new: Bool = false, added: Int = 0,
    revised: Int = 0, parting: ImportReport.Parting? = nil
  ) {
    self.init(
      id: summary.id, title: summary.title, entries: summary.entries,
      attachments: summary.attachments, format: format, new: new, added: added,
      revised: revised, parting: parting)
  }
}
