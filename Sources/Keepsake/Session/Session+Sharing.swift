import KeepsakeSQLite

/// What a fork shows of what was attached in the sessions that it shares entries with.
extension Session {
  /// The attachments of a piece that show in a fork, as a condition over `attachment AS a`: those that its session had
  /// recorded by then, on entries before the one at which a later session takes over.
  ///
  /// ?1 is the session, ?2 that entry's id if the session owned it, ?3 its position, ?4 the last change that shows.
  /// Sessions are numbered in the order in which they were made, so an entry that this one shares itself has a smaller
  /// id: the range of ids, which the index knows, holds it.
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

  /// The attachment that a label names in this session's view.
  func attachmentNumber(label: String, in db: Connection) throws -> Int64? {
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

  /// Whether a label names something in this session's view, or may come to do so: what a parent had recorded without
  /// an entry shows here once it is bound to one that this session shares.
  func isTaken(label: String, in db: Connection) throws -> Bool {
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

  private func ownAttachment(label: String, in db: Connection) throws -> Int64? {
    let find = try db.prepare("SELECT number FROM attachment WHERE session = ? AND label = ?")
    find.bind(number)
    find.bind(label)
    return try find.step() ? find.int64() : nil
  }

  /// Whether an attachment is this session's, or one that it shares.
  func shows(_ attachment: borrowing AttachmentRow) -> Bool {
    if attachment.session == number { return true }
    guard let position = attachment.entry?.position else { return false }
    let recorder = attachment.session
    let recorded = attachment.recorded
    return lineage.shared.contains {
      $0.session == recorder && position < $0.end && recorded <= $0.changes ?? .max
    }
  }

  /// How many attachments a lineage shares with others; texts of entries are none.
  static func sharedCount(_ pieces: some Sequence<Lineage.Piece>, in db: Connection) throws -> Int {
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

  /// Counts an attachment in the forks that come to show it, because it was bound only now to an entry that they share.
  func countInForks(_ attachment: borrowing AttachmentRow, in db: Connection) throws {
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
