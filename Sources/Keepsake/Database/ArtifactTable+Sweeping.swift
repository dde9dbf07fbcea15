import KeepsakeFiles
import KeepsakeSQLite

// The statements that a sweep reads with. Some of them read the rows without an index, because an index may be damaged.
extension ArtifactTable {
  /// Finds artifacts that no row refers to, as the indexes say.
  /// - Parameters:
  ///   - number: The number after which they begin.
  ///   - moment: The time of the youngest artifact that is looked at, in microseconds since 1970.
  ///   - count: The greatest number of artifacts.
  func unused(after number: Int64, createdBy moment: Int64, atMost count: Int) throws -> [(
    number: Int64, size: Int64
  )] {
    let find = try db.prepare(
      """
      SELECT number, size FROM artifact AS f WHERE number > ? AND created <= ?
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = f.number)
        AND NOT EXISTS (SELECT 1 FROM derivation WHERE artifact = f.number)
        AND NOT EXISTS (SELECT 1 FROM source_artifact WHERE artifact = f.number)
      ORDER BY number LIMIT ?
      """)
    find.bind(number)
    find.bind(moment)
    find.bind(count)
    var found: [(number: Int64, size: Int64)] = []
    while try find.step() { found.append((find.int64(), find.int64())) }
    return found
  }

  /// Tells whether there is an artifact whose digest is in a range.
  func hasAny(in digests: ClosedRange<SHA256Digest>) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM artifact WHERE digest BETWEEN ? AND ? LIMIT 1")
    find.bind(digests.lowerBound)
    find.bind(digests.upperBound)
    return try find.step()
  }

  /// Passes the number of the artifact to a closure for each row that uses one, read without an index.
  func forEachUse(_ body: (Int64) throws -> Void) throws {
    for sql: StaticString in [
      "SELECT artifact FROM attachment NOT INDEXED WHERE artifact IS NOT NULL",
      "SELECT artifact FROM derivation NOT INDEXED WHERE artifact IS NOT NULL",
      "SELECT artifact FROM source_artifact NOT INDEXED",
    ] {
      let rows = try db.prepare(sql)
      while try rows.step() { try body(rows.int64()) }
    }
  }

  /// Passes the id and the text of the spans to a closure for each piece of a source that has spans, read without an
  /// index.
  func forEachPieceWithSpans(_ body: (_ piece: Int64, _ spans: [UInt8]) throws -> Void) throws {
    let pieces = try db.prepare(
      "SELECT id, spans FROM source_piece NOT INDEXED WHERE spans IS NOT NULL")
    while try pieces.step() { try body(pieces.int64(), pieces.bytes()) }
  }

  /// Passes the digest of each artifact to a closure, read without an index.
  func forEachDigest(_ body: (SHA256Digest) throws -> Void) throws {
    let rows = try db.prepare("SELECT digest FROM artifact NOT INDEXED")
    while try rows.step() { if let digest = rows.digest() { try body(digest) } }
  }
}

extension ArtifactTable {
  /// Counts the rows that refer to artifacts that are not there.
  func lostReferences() throws -> Int64 {
    try db.integer(
      """
      SELECT (SELECT count(*) FROM attachment AS a WHERE artifact IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM artifact WHERE number = a.artifact))
        + (SELECT count(*) FROM derivation AS d WHERE artifact IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM artifact WHERE number = d.artifact))
        + (SELECT count(*) FROM source_artifact AS s
          WHERE NOT EXISTS (SELECT 1 FROM artifact WHERE number = s.artifact))
      """) ?? 0
  }

  /// Counts the attachments that sessions count and do not have. Forks are left out: they count shared ones, too.
  func lostAttachments() throws -> Int64 {
    let count = try db.prepare(
      """
      SELECT coalesce(sum(lost), 0) FROM (
        SELECT attachments - (SELECT count(*) FROM attachment
          WHERE session = s.number AND direction <> ?) AS lost
        FROM session AS s WHERE parent IS NULL AND +state = ?)
      WHERE lost > 0
      """)
    count.bind(Entry.Attachment.Direction.content.code)
    count.bind(SessionPresence.shown)
    return try count.step() ? count.int64() : 0
  }

  /// Tells whether any row uses an artifact, or the store's log tells of something that was removed.
  func areUsedOrWereRemoved() throws -> Bool {
    let find = try db.prepare(
      """
      SELECT EXISTS (SELECT 1 FROM attachment WHERE artifact IS NOT NULL)
        OR EXISTS (SELECT 1 FROM derivation) OR EXISTS (SELECT 1 FROM source_artifact)
        OR EXISTS (SELECT 1 FROM session WHERE state > ?)
        OR EXISTS (SELECT 1 FROM log WHERE event IN ('delete', 'purge', 'erase', 'abandon'))
      """)
    find.bind(SessionPresence.shown)
    return try find.step() && find.bool()
  }

  /// Counts the artifacts.
  func count() throws -> Int64 { try db.integer("SELECT count(*) FROM artifact") ?? 0 }
}
