import KeepsakeSQLite

/// The attachments of other sessions that a fork shows, because it shares their entries.
extension AttachmentTable {
  /// The condition, over `attachment AS a`, for attachments of a piece that show in a fork.
  ///
  /// These are attachments that the piece's session had recorded when the fork was made, to entries before the end of
  /// the piece. ?1 is the session, ?3 the position of the end, ?2 the id that an entry of the session has there, and ?4
  /// the last change that shows. Sessions are numbered in the order in which they were made. So an entry that the
  /// piece's session shares itself has a smaller id, and one range of ids, which the index knows, has all of these
  /// entries.
  static let shared = """
    a.session = ?1 AND a.entry < ?2 AND \(EntryID.position(of: "a.entry")) < ?3 AND a.recorded <= ?4
    """

  /// Binds a piece to the parameters of the condition ``shared``.
  static func bind(_ piece: Lineage.Piece, to find: borrowing Statement) {
    let end = min(piece.end, EntryID.maximumPosition + 1)
    find.bind(piece.session)
    find.bind(EntryID.end(of: piece.session, after: end))
    find.bind(end)
    find.bind(piece.changes ?? .max)
  }

  /// Counts the attachments that a lineage shares. Large texts of entries, which are stored as attachments, don't
  /// count.
  func sharedCount(_ pieces: some Sequence<Lineage.Piece>) throws -> Int {
    let count = try db.prepare(
      text: """
        SELECT count(*) FROM attachment AS a
        WHERE \(Self.shared) AND direction <> \(Entry.Attachment.Direction.content.code)
        """)
    var total = 0
    for piece in pieces {
      Self.bind(piece, to: count)
      if try count.step() { total += count.int() }
      count.reset()
    }
    return total
  }

  /// Finds the number of the image, shared by a lineage, that was recorded first.
  func firstSharedImage(_ pieces: some Sequence<Lineage.Piece>) throws -> Int64? {
    var first: Int64?
    let find = try db.prepare(
      text: """
        SELECT min(a.number) FROM attachment AS a JOIN artifact AS f ON f.number = a.artifact
        WHERE \(Self.shared) AND f.type BETWEEN 'image/' AND 'image0'
        """)
    for piece in pieces {
      Self.bind(piece, to: find)
      if try find.step(), let image = find.optionalInt64() { first = min(image, first ?? image) }
      find.reset()
    }
    return first
  }

  /// Returns whether a piece's session attached something to entries that it shares itself, or to none yet, which a fork
  /// before a position shows or may come to show.
  func hasAny(in piece: Lineage.Piece, sharedBefore position: Int) throws -> Bool {
    let find = try db.prepare(
      """
      SELECT 1 FROM attachment WHERE session = ?1 AND recorded <= ?2
        AND (entry IS NULL OR entry < ?4 AND entry & ?5 < ?3) LIMIT 1
      """)
    find.bind(piece.session)
    find.bind(piece.changes ?? .max)
    find.bind(min(piece.end, position))
    find.bind(EntryID(session: piece.session, position: 0))
    find.bind(EntryID.maximumPosition)
    return try find.step()
  }

  /// Counts an attachment in the forks that show it from now on, because it was bound to an entry that they share.
  /// - Parameters:
  ///   - position: The position of the entry.
  ///   - recorded: The change that recorded the attachment.
  ///   - session: The session that recorded it.
  func countInForks(at position: Int, recorded: Int, of session: Int64) throws {
    let update = try db.prepare(
      """
      WITH RECURSIVE heir (number) AS (
        SELECT number FROM session WHERE parent = ?1 AND fork_position > ?2 AND fork_change >= ?3
        UNION
        SELECT s.number FROM heir JOIN session AS s ON s.parent = heir.number
        WHERE s.fork_position > ?2)
      UPDATE session SET attachments = attachments + 1 WHERE number IN (SELECT number FROM heir)
      """)
    update.bind(session)
    update.bind(position)
    update.bind(recorded)
    try update.run()
  }
}
