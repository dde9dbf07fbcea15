import KeepsakeFiles
import KeepsakeSQLite

/// The statements that a commit needs beside those of the tables that it writes.
struct CommitRows {
  let db: Connection
}

extension Tables {
  var commits: CommitRows { CommitRows(db: connection) }
}

// MARK: - Finding

extension CommitRows {
  /// A row that a commit writes again.
  struct Known {
    let number: Int64
    /// The link that the row has, with its operation as it is stored.
    let operation: Int
    let change: Int
    let digest: SHA256Digest?
  }

  /// Finds an entry.
  func entry(_ id: EntryID) throws -> Known? {
    try known("SELECT id, operation, change, digest FROM entry WHERE id = ?") { $0.bind(id) }
  }

  /// Finds the attachment that a change of a session recorded.
  ///
  /// - Parameters:
  ///   - recorded: The number of the change.
  ///   - entry: The entry of the attachment, as the commit says it; before, it may have had none.
  ///   - session: The number of the session.
  func attachment(recordedBy recorded: Int, at entry: EntryID?, in session: Int64) throws -> Known?
  {
    try known(
      """
      SELECT number, operation, change, digest FROM attachment
      WHERE session = ?1 AND entry IS ?2 AND recorded = ?3
      UNION ALL SELECT number, operation, change, digest FROM attachment
      WHERE session = ?1 AND entry IS NULL AND recorded = ?3
      """
    ) {
      $0.bind(session)
      $0.bind(entry)
      $0.bind(recorded)
    }
  }

  /// Finds a run by its id.
  func invocation(_ id: [UInt8]?, in session: Int64) throws -> Known? {
    try known(
      "SELECT number, operation, change, digest FROM invocation WHERE id = ? AND session = ?"
    ) {
      $0.bind(id)
      $0.bind(session)
    }
  }

  /// Finds the import that a change of a session recorded.
  func `import`(recordedBy recorded: Int, in session: Int64) throws -> Known? {
    try known(
      "SELECT number, operation, change, digest FROM import WHERE session = ? AND recorded = ?"
    ) {
      $0.bind(session)
      $0.bind(recorded)
    }
  }

  /// Finds the source of the import that a change of a session recorded.
  func source(ofImportRecordedBy recorded: Int, in session: Int64) throws -> Int64? {
    let find = try db.prepare("SELECT source FROM import WHERE session = ? AND recorded = ?")
    find.bind(session)
    find.bind(recorded)
    return try find.step() ? find.int64() : nil
  }

  private func known(_ sql: StaticString, _ bind: (borrowing Statement) -> Void) throws -> Known? {
    let find = try db.prepare(sql)
    bind(find)
    guard try find.step() else { return nil }
    return Known(
      number: find.int64(0), operation: find.int(1), change: find.int(2), digest: find.digest(3))
  }

  /// Tells whether a link of a session is kept that its row has lost; nil stands for any digest.
  func hasArchived(
    _ number: Int, operation: Int, position: Int, digest: SHA256Digest? = nil, of session: Int64
  ) throws -> Bool {
    let find = try db.prepare(
      """
      SELECT 1 FROM change WHERE session = ?1 AND number = ?2 AND operation = ?3 AND position = ?4
        AND (?5 IS NULL OR digest = ?5)
      """)
    find.bind(session)
    find.bind(number)
    find.bind(operation)
    find.bind(position)
    find.bind(digest)
    return try find.step()
  }

  /// Finds the digest of the newest link of an entry that its row does not have, among some changes.
  func archivedDigest(of entry: EntryID, in changes: Range<Int>) throws -> SHA256Digest? {
    let find = try db.prepare(
      """
      SELECT digest FROM change WHERE session = ?1 AND number >= ?2 AND number < ?3 AND position = ?4
        AND operation IN (?5, ?6, ?7, ?8) ORDER BY number DESC LIMIT 1
      """)
    find.bind(entry.session)
    find.bind(changes.lowerBound)
    find.bind(changes.upperBound)
    find.bind(entry.position)
    find.bind(Chain.Operation.append)
    find.bind(Chain.Operation.revise)
    find.bind(Chain.Operation.adopt)
    find.bind(Chain.Operation.eraseEntry)
    return try find.step() ? find.digest() : nil
  }
}

// MARK: - Writing

extension CommitRows {
  /// Gives a session what its record says that may change, beside its tags and metadata.
  func update(_ record: CopyRecord, of session: Int64) throws {
    let update = try db.prepare(
      "UPDATE session SET updated = ?, title = ?, origin = ?, foreign_id = ? WHERE number = ?")
    update.bind(record.integer("updated"))
    update.bind(record.text("title"))
    update.bind(record.text("origin"))
    update.bind(record.text("foreignID"))
    update.bind(session)
    try update.run()
  }

  /// Gives a session its counters, and shows it.
  func update(standing: CopyRecord, cover: Int64?, of session: Int64) throws {
    let update = try db.prepare(
      """
      UPDATE session SET entries = ?, turns = ?, attachments = ?, labels = ?, bytes = ?, overlapping = ?,
        updated = coalesce(?, updated), model = ?, preview = ?, cover = ?, state = ? WHERE number = ?
      """)
    for name in [
      "entries", "turns", "attachments", "labels", "bytes", "overlapping", "updated",
    ] {
      update.bind(standing.integer(name))
    }
    update.bind(standing.text("model"))
    update.bind(standing.text("preview"))
    update.bind(cover)
    update.bind(SessionPresence.shown)
    update.bind(session)
    try update.run()
  }

  /// Gives a session that was deleted, and is there for its forks, the number of bytes that its rows have.
  ///
  /// Where it was deleted, nobody tells its counters any more, and each row that goes takes its bytes from this number.
  func countBytes(of session: Int64) throws {
    guard
      let sums = try SessionTable(db: db).restoredSums(of: session, last: nil, isPurged: true)
    else { return }
    let update = try db.prepare("UPDATE session SET bytes = ? WHERE number = ?")
    update.bind(sums.bytes)
    update.bind(session)
    try update.run()
  }

  /// Makes a session one that was deleted, and is there for its forks.
  func hide(_ session: Int64, entries: Int, updated: Int64?) throws {
    let update = try db.prepare(
      """
      UPDATE session SET state = ?, entries = ?, updated = coalesce(?, updated), title = NULL, preview = NULL, model = NULL, origin = NULL,
        foreign_id = NULL, cover = NULL WHERE number = ?
      """)
    update.bind(SessionPresence.purged)
    update.bind(entries)
    update.bind(updated)
    update.bind(session)
    try update.run()
  }

  /// Gives a session its chain.
  func update(chain: Chain, of session: Int64) throws {
    let update = try db.prepare("UPDATE session SET changes = ?, head = ? WHERE number = ?")
    update.bind(chain.count)
    update.bind(chain.head)
    update.bind(session)
    try update.run()
  }

  /// Finds the attachment that is the cover of a session.
  func cover(of id: [UInt8], recorded: Int) throws -> Int64? {
    let find = try db.prepare(
      """
      SELECT a.number FROM session AS s JOIN attachment AS a ON a.session = s.number
      WHERE s.id = ? AND a.recorded = ?
      """)
    find.bind(id)
    find.bind(recorded)
    return try find.step() ? find.int64() : nil
  }

  /// Gives a source what the record of its import says of the file.
  func update(_ record: CopyRecord, ofSource source: Int64) throws {
    let update = try db.prepare(
      "UPDATE source SET format = ?, name = ?, created = ?, size = ?, digest = ? WHERE number = ?")
    update.bind(record.text("format"))
    update.bind(record.text("fileName"))
    update.bind(record.integer("stored"))
    update.bind(record.integer("size"))
    update.bind(record.bytes("fileDigest"))
    update.bind(source)
    try update.run()
  }

  /// Gives a source the digests by which its file is recognized once it has grown.
  func update(recognition: CopyRecord, ofSource source: Int64) throws {
    let update = try db.prepare(
      "UPDATE source SET records = ?, beginning = ?, identity = ? WHERE number = ?")
    update.bind(recognition.integer("records"))
    update.bind(recognition.bytes("beginning"))
    update.bind(recognition.bytes("identity"))
    update.bind(source)
    try update.run()
  }

  /// Deletes a piece, and returns its spans; nil if there is no such piece.
  func deletePiece(_ id: Int64) throws -> [SourcePiece.Span]? {
    let delete = try db.prepare("DELETE FROM source_piece WHERE id = ? RETURNING spans")
    delete.bind(id)
    return try delete.step() ? SpanText.spans(of: id, in: delete) : nil
  }
}
