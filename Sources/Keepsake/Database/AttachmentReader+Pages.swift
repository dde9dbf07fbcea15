import KeepsakeSQLite

// Parts of the list of a session's attachments, without the texts of entries that are stored as attachments.
//
// No index has a session's attachments in the order of recording. The numbers of all of them are sorted, which are read from an
// index alone, and a row is read only for each that is asked for.
extension AttachmentReader {
  /// Reads the first attachments that a session recorded after a number, in the order of recording.
  func page(recordedIn session: Int64, after number: Int64, atMost count: Int) throws -> Found {
    let find = try db.connection.prepare(text: Self.numbersInSession)
    find.bind(session)
    find.bind(number)
    return try read(find, atMost: count) { _ in true }
  }

  /// Reads the first attachments of a piece that show in a fork, after a number, in the order of recording.
  func page(sharedIn piece: Lineage.Piece, after number: Int64, atMost count: Int) throws -> Found {
    let end = min(piece.end, EntryID.maximumPosition + 1)
    let find = try db.connection.prepare(text: Self.numbersInPiece)
    find.bind(piece.session)
    find.bind(number)
    find.bind(EntryID.end(of: piece.session, after: end))
    find.bind(end)
    let changes = piece.changes ?? .max
    return try read(find, atMost: count) { $0.recorded <= changes }
  }

  private func read(
    _ numbers: borrowing Statement, atMost count: Int, _ isShown: (AttachmentRow) -> Bool
  ) throws -> Found {
    var found: Found = []
    while found.count < count, try numbers.step() {
      guard let next = try row(numbers.int64()), next.row.direction != .content,
        isShown(next.row)
      else { continue }
      found.append(next)
    }
    return found
  }

  static let numbersInSession = """
    SELECT number FROM attachment INDEXED BY attachment_by_entry
    WHERE session = ?1 AND number > ?2 ORDER BY number
    """
  /// The numbers of what was attached to the shared entries of a piece, also of what was attached after the fork was made.
  static let numbersInPiece = """
    SELECT number FROM attachment INDEXED BY attachment_by_entry
    WHERE session = ?1 AND number > ?2 AND entry < ?3 AND \(EntryID.position(of: "entry")) < ?4
    ORDER BY number
    """
}
