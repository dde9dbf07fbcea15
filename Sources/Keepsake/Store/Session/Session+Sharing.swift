/// The attachments of other sessions that a fork shows, because it shares their entries.
extension Session {
  /// Finds the number of the attachment that a label names in this session.
  func attachmentNumber(label: String, in db: Tables) throws -> Int64? {
    if let own = try db.attachments.number(label: label, of: number) { return own }
    for piece in lineage.shared.reversed() {
      if let found = try db.attachments.number(label: label, sharedIn: piece) { return found }
    }
    return nil
  }

  /// Returns whether a label names an attachment of this session, or may come to name one.
  ///
  /// An attachment that a parent recorded without an entry shows here as soon as it is bound to a shared entry.
  func isTaken(label: String, in db: Tables) throws -> Bool {
    if try db.attachments.number(label: label, of: number) != nil { return true }
    for piece in lineage.shared {
      if try db.attachments.isTaken(label: label, sharedIn: piece) { return true }
    }
    return false
  }

  /// Returns whether this session shows an attachment, as its own or as a shared one.
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
    try db.attachments.sharedCount(pieces)
  }

  /// Counts an attachment in the forks that show it from now on, because it was bound to an entry that they share.
  func countInForks(_ attachment: borrowing AttachmentRow, in db: Tables) throws {
    guard let position = attachment.entry?.position, attachment.direction != .content else {
      return
    }
    try db.attachments.countInForks(at: position, recorded: attachment.recorded, of: number)
  }
}
