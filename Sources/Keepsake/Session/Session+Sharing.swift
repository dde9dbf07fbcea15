import KeepsakeSQLite

/// The attachments of other sessions that a fork shows, because it shares their entries.
extension Session {
  /// The condition, over `attachment AS a`, for attachments of a piece that show in a fork.
  ///
  /// These are attachments that the piece's session had recorded when the fork was made, to entries before the end of
  /// the piece. ?1 is the session, ?3 the position of the end, ?2 the id that an entry of the session has there, and ?4
  /// the last change that shows. Sessions are numbered in the order in which they were made. So an entry that the
  /// piece's session shares itself has a smaller id, and one range of ids, which the index knows, has all of these
  /// entries.
  static let sharedAttachments = """
    a.session = ?1 AND a.entry < ?2 AND \(EntryID.position(of: "a.entry")) < ?3 AND a.recorded <= ?4
    """

  static func bind(_ piece: Lineage.Piece, to find: borrowing Statement) {
    let end = min(piece.end, EntryID.maximumPosition + 1)
    find.bind(piece.session)
    find.bind(EntryID.end(of: piece.session, after: end))
    find.bind(end)
    find.bind(piece.changes ?? .max)
  }

  /// Finds the number of the attachment that a label names in this session.
  func attachmentNumber(label: String, in db: Tables) throws -> Int64? {
    if let own = try ownAttachment(label: label, in: db) { return own }
    for piece in lineage.shared.reversed() {
      let find = try db.prepare(
        text: "SELECT number FROM attachment AS a WHERE \(Self.sharedAttachments) AND label = ?5")
      Self.bind(piece, to: find)
      find.bind(label)
      if try find.step() { return find.int64() }
    }
    return nil
  }

  /// Whether a label names an attachment of this session, or may come to name one.
  ///
  /// An attachment that a parent recorded without an entry shows here as soon as it is bound to a shared entry.
  func isTaken(label: String, in db: Tables) throws -> Bool {
    if try ownAttachment(label: label, in: db) != nil { return true }
    for piece in lineage.shared {
      let find = try db.prepare(
        """
        SELECT 1 FROM attachment WHERE session = ?1 AND label = ?2 AND recorded <= ?3
          AND (entry IS NULL OR entry & ?5 < ?4)
        """)
      find.bind(piece.session)
      find.bind(label)
      find.bind(piece.changes ?? .max)
      find.bind(piece.end)
      find.bind(EntryID.maximumPosition)
      if try find.step() { return true }
    }
    return false
  }

  private func ownAttachment(label: String, in db: Tables) throws -> Int64? {
    let find = try db.prepare("SELECT number FROM attachment WHERE session = ? AND label = ?")
    find.bind(number)
    find.bind(label)
    return try find.step() ? find.int64() : nil
  }

  /// Whether this session shows an attachment, as its own or as a shared one.
  func shows(_ attachment: borrowing AttachmentRow) -> Bool {
    if attachment.session == number { return true }
    guard let position = attachment.entry?.position else { return false }
    let recorder = attachment.session
    let recorded = attachment.recorded
    return lineage.shared.contains {
      $0.session == recorder && position < $0.end && recorded <= $0.changes ?? .max
    }
  }

  /// Counts the attachments that a lineage shares. Large texts of entries, which are stored as attachments, don't
  /// count.
  static func sharedCount(_ pieces: some Sequence<Lineage.Piece>, in db: Tables) throws -> Int {
    let count = try db.prepare(
      text: """
        SELECT count(*) FROM attachment AS a
        WHERE \(sharedAttachments) AND direction <> \(Entry.Attachment.Direction.content.code)
        """)
    var total = 0
    for piece in pieces {
      bind(piece, to: count)
      if try count.step() { total += count.int() }
      count.reset()
    }
    return total
  }

  /// Counts an attachment in the forks that show it from now on, because it was bound to an entry that they share.
  func countInForks(_ attachment: borrowing AttachmentRow, in db: Tables) throws {
    guard let position = attachment.entry?.position, attachment.direction != .content else {
      return
    }
    let update = try db.prepare(
      """
      WITH RECURSIVE heir (number) AS (
        SELECT number FROM session WHERE parent = ?1 AND fork_position > ?2 AND fork_change >= ?3
        UNION
        SELECT s.number FROM heir JOIN session AS s ON s.parent = heir.number
        WHERE s.fork_position > ?2)
      UPDATE session SET attachments = attachments + 1 WHERE number IN (SELECT number FROM heir)
      """)
    update.bind(number)
    update.bind(position)
    update.bind(attachment.recorded)
    try update.run()
  }
}
