import KeepsakeFiles
import KeepsakeSQLite

/// The rows of a session's entries, as they stand in the database, read one at a time.
struct CheckedEntries: ~Copyable {
  private let row: Statement
  private let db: Connection

  /// Prepares the reading of a range of entries, in their order.
  init(_ ids: ClosedRange<EntryID>, in db: Connection) throws {
    row = try db.prepare(
      """
      SELECT id & ?3, id, uuid, kind, created, status, visibility, turn, key, lane, author, model,
        call_entry & ?3, call_ordinal, call_entry, operation, change, digest, salt, body
      FROM entry WHERE id BETWEEN ?1 AND ?2 ORDER BY id
      """)
    row.bind(ids)
    row.bind(EntryID.maximumPosition)
    self.db = db
  }

  /// Goes to the next row; returns false at the end.
  func next() throws -> Bool { try row.step() }

  var position: Int { row.int(0) }
  var id: EntryID { row.entryID(1) }
  var turn: Int { row.int(7) }
  var hasKey: Bool { !row.isNull(8) }
  /// The call that the entry answers.
  var call: EntryID? { row.optionalEntryID(14) }
  var callOrdinal: Int? { row.optionalInt(13) }
  var operation: Int { row.int(15) }
  var change: Int { row.int(16) }
  /// The digest that was recorded.
  var digest: SHA256Digest? { row.digest(17) }
  var hasSalt: Bool { !row.isNull(18) }
  /// Tells whether the salt has the size of one.
  var hasWholeSalt: Bool { row.count(18) == Salt.size }
  var hasBody: Bool { !row.isNull(19) }
  var bodySize: Int { row.count(19) }
  /// The digest that the salt and the body have now.
  var bodyDigest: SHA256Digest { Self.bodyDigest(row, from: 18) }

  /// Reads the body, as the entry that it tells.
  func decodedBody() throws -> Entry {
    var decoded = Entry(.unknown)
    _ = try EntryBody.decode(row.span(19), into: &decoded)
    return decoded
  }

  /// Tells whether the index of keys has the entry's key.
  func hasIndexedKey() throws -> Bool {
    try EntryKeys.contains(id, with: row.span(8), in: Tables(db))
  }
}

// MARK: - Digests

extension CheckedEntries {
  /// The columns that come before the body in the digest of the entry.
  var columns: Canonical { Self.columns(of: row, hasKey: true, in: row, status: 5, lane: 9) }

  /// Gives the columns that come before the body in the digest of a revision.
  /// - Parameter hasKey: Whether the entry had its key by then.
  func columns(of revision: borrowing CheckedRevisions, hasKey: Bool) -> Canonical {
    Self.columns(of: row, hasKey: hasKey, in: revision.row, status: 3, lane: 10)
  }

  /// Gives the columns that come before the body in the digest of an entry or of a revision.
  /// - Parameters:
  ///   - row: The entry's row.
  ///   - hasKey: Whether the entry had its key by then.
  ///   - own: The row of the content: the entry's, or the revision's.
  ///   - status: The column of `own` that has the status.
  ///   - lane: The column of `own` that has the lane; the author and the model stand in the two behind it.
  private static func columns(
    of row: borrowing Statement, hasKey: Bool, in own: borrowing Statement, status: Int, lane: Int
  ) -> Canonical {
    var canonical = Canonical("keepsake.entry.1")
    canonical.add(blob: 2, of: row)
    canonical.add(integer: 3, of: row)
    canonical.add(integer: 4, of: row)
    canonical.add(integer: status, of: own)
    canonical.add(integer: 6, of: row)
    canonical.add(integer: 7, of: row)
    if hasKey { canonical.add(text: 8, of: row) } else { canonical.add(Int64?.none) }
    for column in lane...(lane + 2) { canonical.add(text: column, of: own) }
    canonical.add(integer: 12, of: row)
    canonical.add(integer: 13, of: row)
    return canonical
  }

  /// Computes the digest of a body from two columns that stand side by side, the salt and the body.
  static func bodyDigest(_ row: borrowing Statement, from salt: Int) -> SHA256Digest {
    var hash = SHA256()
    hash.update(row.span(salt))
    hash.update(row.span(salt + 1))
    return hash.finalize()
  }
}
