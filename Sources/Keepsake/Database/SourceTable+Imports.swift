import KeepsakeFiles
import KeepsakeSQLite

extension SourceTable {
  /// Finds the import that took a file with these bytes into a session, and the number of its source; nil if there is none.
  func `import`(ofFile digest: SHA256Digest, format: String, into session: Int64) throws
    -> (number: Int64, source: Int64)?
  {
    let find = try db.prepare(
      """
      SELECT i.number, s.number FROM source AS s JOIN import AS i ON i.source = s.number
      WHERE s.digest = ? AND s.format = ? AND i.session = ? LIMIT 1
      """)
    find.bind(digest)
    find.bind(format)
    find.bind(session)
    return try find.step() ? (find.int64(), find.int64()) : nil
  }

  /// Returns the sessions that took over something from a source.
  func sessions(of source: Int64) throws -> [Int64] {
    let find = try db.prepare("SELECT DISTINCT session FROM import WHERE source = ?")
    find.bind(source)
    var sessions: [Int64] = []
    while try find.step() { sessions.append(find.int64()) }
    return sessions
  }

  /// Finds the last import that took a file of a format into a session; nil if there is none.
  func newestImport(into session: Int64, format: String) throws -> Int64? {
    let find = try db.prepare(
      """
      SELECT i.number FROM import AS i JOIN source AS s ON s.number = i.source
      WHERE i.session = ? AND s.format = ? ORDER BY i.number DESC LIMIT 1
      """)
    find.bind(session)
    find.bind(format)
    return try find.step() ? find.int64() : nil
  }

  /// Finds the newest source of a session in a format; nil if there is none.
  func newestSource(of session: Int64, format: String) throws -> Int64? {
    let find = try db.prepare(
      """
      SELECT i.source FROM import AS i JOIN source AS s ON s.number = i.source
      WHERE i.session = ? AND s.format = ? ORDER BY i.number DESC LIMIT 1
      """)
    find.bind(session)
    find.bind(format)
    return try find.step() ? find.int64() : nil
  }

  /// Finds the newest source of a session in a format that was there at one of the session's changes.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - change: The number of changes after which the import must not come; nil for any import.
  ///   - format: The format.
  /// - Returns: The source, and the change that last wrote its import; nil if there is none.
  func newestSource(of session: Int64, upTo change: Int?, format: String) throws
    -> (number: Int64, change: Int)?
  {
    let find = try db.prepare(
      """
      SELECT i.source, i.change FROM import AS i JOIN source AS s ON s.number = i.source
      WHERE i.session = ? AND i.recorded <= ? AND s.format = ? ORDER BY i.number DESC LIMIT 1
      """)
    find.bind(session)
    find.bind(change ?? .max)
    find.bind(format)
    return try find.step() ? (find.int64(), try find.int(in: .count)) : nil
  }

  /// Tells whether an import is the only use of its source, and the last entries of its session are those that it added.
  ///
  /// Then the source can be written on when its file grows. A fork of the session counts as another use, and so does a
  /// source that begins with this one.
  func canExtend(_ number: Int64, of source: Int64, in session: Int64, entries: Int) throws -> Bool
  {
    let find = try db.prepare(
      """
      SELECT 1 FROM import AS i WHERE i.number = ?1 AND i.source = ?2
        AND (i.count = 0 OR i.first + i.count = ?4)
        AND NOT EXISTS (SELECT 1 FROM import WHERE source = ?2 AND number <> ?1)
        AND NOT EXISTS (SELECT 1 FROM source WHERE base = ?2)
        AND NOT EXISTS (SELECT 1 FROM session WHERE parent = ?3)
      """)
    find.bind(number)
    find.bind(source)
    find.bind(session)
    find.bind(entries)
    return try find.step()
  }

  /// Returns the sources of a session that no other session has anything of.
  func sources(onlyOf session: Int64) throws -> [Int64] {
    let find = try db.prepare(
      """
      SELECT DISTINCT i.source FROM import AS i WHERE i.session = ?1 AND NOT EXISTS
        (SELECT 1 FROM import WHERE source = i.source AND session <> ?1) ORDER BY i.source
      """)
    find.bind(session)
    var sources: [Int64] = []
    while try find.step() { sources.append(try find.int64(in: .source)) }
    return sources
  }

  /// Deletes the imports of a session.
  func deleteImports(of session: Int64) throws {
    let delete = try db.prepare("DELETE FROM import WHERE session = ?")
    delete.bind(session)
    try delete.run()
  }
}
