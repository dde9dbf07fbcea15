import KeepsakeFiles
import KeepsakeSQLite

// The statements that find the session to which a foreign file belongs.
extension SourceTable {
  /// A stored file, and a session that it was imported into.
  struct Match {
    let session: Int64
    let source: Int64
  }

  /// Finds the session that a file with these bytes was imported into last; nil if there is none.
  ///
  /// A source that came with a copy, and is no longer whole, could not be checked, and does not count.
  /// - Parameters:
  ///   - digest: The digest of the file.
  ///   - format: The format of the file.
  ///   - session: The only session that may be found; nil for any.
  ///   - foreignID: The id in the foreign program of the session that is preferred; nil for one without an id.
  func session(
    ofFile digest: SHA256Digest, format: String, in session: Int64?, preferring foreignID: String?
  ) throws -> Int64? {
    let find = try db.prepare(
      """
      SELECT i.session FROM source AS s JOIN import AS i ON i.source = s.number
        JOIN session AS t ON t.number = i.session
      WHERE s.digest = ?1 AND s.format = ?2 AND s.identity IS NOT NULL AND +t.state = ?5
        AND (?3 IS NULL OR t.number = ?3)
      ORDER BY t.foreign_id IS ?4 DESC, i.number DESC LIMIT 1
      """)
    find.bind(digest)
    find.bind(format)
    find.bind(session)
    find.bind(foreignID)
    find.bind(SessionPresence.shown)
    return try find.step() ? find.int64() : nil
  }

  static let lengths: StaticString =
    "SELECT records FROM source WHERE beginning = ? AND records <= ? ORDER BY records DESC LIMIT 1"

  /// Returns the number of records of the longest file that opens in a way, and has no more than so many; nil if there is
  /// none.
  func length(ofFileOpening opening: SHA256Digest, atMost records: Int) throws -> Int? {
    let find = try db.prepare(Self.lengths)
    find.bind(opening)
    find.bind(records)
    guard try find.step() else { return nil }
    let length = find.int()
    return length > 0 ? length : nil
  }

  static let filesOfRecords: StaticString =
    """
    SELECT i.session, s.number FROM source AS s JOIN import AS i ON i.source = s.number
      JOIN session AS t ON t.number = i.session
    WHERE s.beginning = ?1 AND s.records = ?2 AND s.identity = ?3 AND s.format = ?4 AND +t.state = ?6
      AND (?5 IS NULL OR t.foreign_id IS NULL OR t.foreign_id = ?5)
      AND NOT EXISTS (SELECT 1 FROM import AS n JOIN source AS f ON f.number = n.source
        WHERE n.session = i.session AND n.number > i.number AND f.format = ?4)
    ORDER BY i.number DESC LIMIT 16
    """

  /// Finds the sessions whose newest file has certain records, the newest first.
  ///
  /// - Parameters:
  ///   - records: The number of records.
  ///   - opening: The digest of those up to the first prompt.
  ///   - identity: The digest of all of them.
  ///   - format: The format of the file.
  ///   - foreignID: The id of the file's session in the foreign program, if it has one. A session with another id is not
  ///     found, because programs copy a beginning when they fork.
  func files(
    ofRecords records: Int, opening: SHA256Digest, identity: SHA256Digest, format: String,
    foreignID: String?
  ) throws -> [Match] {
    let find = try db.prepare(Self.filesOfRecords)
    find.bind(opening)
    find.bind(records)
    find.bind(identity)
    find.bind(format)
    find.bind(foreignID)
    find.bind(SessionPresence.shown)
    return try Self.matches(find)
  }

  static let longerFiles: StaticString =
    """
    SELECT i.session, s.number FROM source AS s JOIN import AS i ON i.source = s.number
      JOIN session AS t ON t.number = i.session
    WHERE s.beginning = ? AND s.records > ? AND s.format = ? AND +t.state = ?
    ORDER BY s.records LIMIT ?
    """

  /// Finds files that open in a way, and have more records than so many, the shortest first.
  func files(
    opening: SHA256Digest, longerThan records: Int, format: String, limit: Int
  ) throws -> [Match] {
    try files(Self.longerFiles, opening, records, format, limit)
  }

  static let shorterFiles: StaticString =
    """
    SELECT i.session, s.number FROM source AS s JOIN import AS i ON i.source = s.number
      JOIN session AS t ON t.number = i.session
    WHERE s.beginning = ? AND s.records <= ? AND s.format = ? AND +t.state = ?
    ORDER BY s.records DESC LIMIT ?
    """

  /// Finds files that open in a way, and have no more records than so many, the longest first.
  func files(
    opening: SHA256Digest, atMost records: Int, format: String, limit: Int
  ) throws -> [Match] {
    try files(Self.shorterFiles, opening, records, format, limit)
  }

  private func files(
    _ sql: StaticString, _ opening: SHA256Digest, _ records: Int, _ format: String, _ limit: Int
  ) throws -> [Match] {
    let find = try db.prepare(sql)
    find.bind(opening)
    find.bind(records)
    find.bind(format)
    find.bind(SessionPresence.shown)
    find.bind(limit)
    return try Self.matches(find)
  }

  private static func matches(_ find: borrowing Statement) throws -> [Match] {
    var found: [Match] = []
    while try find.step() { found.append(Match(session: find.int64(), source: find.int64())) }
    return found
  }
}
