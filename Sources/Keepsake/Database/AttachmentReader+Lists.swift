import KeepsakeSQLite

extension AttachmentReader {
  /// Reads the attachment with a number.
  func row(_ number: Int64) throws -> (row: AttachmentRow, value: Entry.Attachment)? {
    try read(where: "a.number = ?1") { $0.bind(number) }.first
  }

  /// Reads the attachments that a session recorded, in the order of recording, with the large texts of its entries.
  func rows(recordedIn session: Int64) throws -> Found {
    try read(where: "a.session = ?1 ORDER BY a.number") { $0.bind(session) }
  }

  /// Reads the attachments of a piece that show in a fork, in the order of recording.
  func rows(sharedIn piece: Lineage.Piece) throws -> Found {
    try read(where: AttachmentTable.shared + " ORDER BY a.number") {
      AttachmentTable.bind(piece, to: $0)
    }
  }

  /// Reads the attachments of a session that belong to no entry, in the order of recording.
  func rowsWithoutEntry(recordedIn session: Int64) throws -> Found {
    try read(where: "a.session = ?1 AND a.entry IS NULL ORDER BY a.number") { $0.bind(session) }
  }

  /// Reads the attachments of all shown sessions in a state, the newest first, before a number.
  func rows(
    in state: Entry.Attachment.State, before number: Int64, atMost count: Int
  ) throws -> Found {
    try read(where: state == .present ? Self.present : Self.inState) {
      $0.bind(state.code)
      $0.bind(number)
      $0.bind(count)
    }
  }

  /// The condition for attachments that are present, the newest first.
  static let present = """
    a.state = ?1 AND a.number < ?2 AND s.\(SessionPresence.isShown)
      AND a.direction <> \(Entry.Attachment.Direction.content.code)
    ORDER BY a.number DESC LIMIT ?3
    """
  /// The condition for attachments in another state, the newest first.
  ///
  /// The index has what is not present, and is only used where that is said.
  static let inState =
    "a.state <> \(Entry.Attachment.State.present.code) AND " + present
}
