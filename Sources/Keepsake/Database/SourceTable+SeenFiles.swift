#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

// The table `seen_file` has the files that were imported, as they stood then.
extension SourceTable {
  /// Remembers a file that was imported.
  ///
  /// - Parameters:
  ///   - standing: The size and the times of the file.
  ///   - number: The import that took it over.
  ///   - remarks: The remarks of the import about the file's records, as JSON; nil if it made none.
  ///   - bookmark: The place where the file can be read on; nil if it has to be read from its start.
  ///   - changes: The number of changes that the file's session has.
  func remember(
    _ standing: FileStanding, import number: Int64, remarks: String?, bookmark: SourceBookmark?,
    changes: Int
  ) throws {
    let insert = try db.prepare(
      """
      INSERT OR REPLACE INTO seen_file
        (place, size, modified, changed, inode, tail, import, remarks, settled, reached, line,
          changes, reader)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    Self.bind(standing, to: insert)
    insert.bind(number)
    insert.bind(remarks)
    insert.bind(standing.isSettled ? 1 : 0)
    insert.bind(bookmark?.offset)
    insert.bind(bookmark?.line)
    insert.bind(bookmark == nil ? nil : changes)
    insert.bind(bookmark?.reader)
    try insert.run()
  }

  /// Finds the session of a file that stands as it did when it was imported; nil if there is none.
  ///
  /// - Returns: The session, the format of the file, and the remarks about its records as JSON.
  func seen(_ standing: FileStanding, format: String?) throws
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
    Self.bind(standing, to: find)
    find.bind(format)
    find.bind(SessionPresence.shown)
    return try find.step() ? (find.int64(), find.text(), find.optionalText()) : nil
  }

  /// Finds the file of a place that can be read on, because its session has not changed since; nil if there is none.
  func bookmarked(_ place: SHA256Digest, format: String) throws -> SeenFileRow? {
    let find = try db.prepare(
      """
      SELECT i.session, t.id, i.number, i.source, f.reached, f.line, f.reader, f.remarks, s.records,
        s.beginning, s.identity, t.entries, t.changes
      FROM seen_file AS f JOIN import AS i ON i.number = f.import
        JOIN source AS s ON s.number = i.source JOIN session AS t ON t.number = i.session
      WHERE f.place = ? AND f.reached IS NOT NULL AND f.changes = t.changes AND s.format = ?
        AND +t.state = ?
      """)
    find.bind(place)
    find.bind(format)
    find.bind(SessionPresence.shown)
    guard try find.step() else { return nil }
    let session = find.int64()
    let id = UUID(bytes: find.span())
    let number = find.int64()
    let source = find.int64()
    let bookmark = SourceBookmark(
      offset: try find.int64(in: .size), line: try find.int(in: .ordinal), reader: find.bytes())
    let remarks = find.optionalText()
    let records = try find.int(in: .count)
    let beginning = find.digest()
    let identity = find.digest()
    let entries = try find.int(in: .entries)
    let changes = try find.int(in: .count)
    guard let id, let beginning, let identity else { return nil }
    return SeenFileRow(
      session: session, sessionID: id, entries: entries, changes: changes, import: number,
      source: source, bookmark: bookmark, remarks: remarks, records: records,
      beginning: beginning, identity: identity)
  }

  /// Forgets what readers knew of the files of a session, because something of them was erased.
  func forgetReaders(ofFilesOf session: Int64) throws {
    let update = try db.prepare(
      """
      UPDATE seen_file SET reached = NULL, line = NULL, changes = NULL, reader = NULL
      WHERE import IN (SELECT number FROM import WHERE session = ?) AND reader IS NOT NULL
      """)
    update.bind(session)
    try update.run()
  }

  /// Forgets the files of a session, before its imports are deleted.
  func forgetFiles(of session: Int64) throws {
    let delete = try db.prepare(
      """
      DELETE FROM seen_file WHERE import IN (SELECT number FROM import WHERE session = ?)
      """)
    delete.bind(session)
    try delete.run()
  }

  /// Forgets the file of a place.
  func forgetFile(at place: SHA256Digest) throws {
    let delete = try db.prepare("DELETE FROM seen_file WHERE place = ?")
    delete.bind(place)
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
}
