import KeepsakeSQLite

extension AttachmentTable {
  /// Finds the number of the attachment that a session recorded under a label.
  func number(label: String, of session: Int64) throws -> Int64? {
    let find = try db.prepare("SELECT number FROM attachment WHERE session = ? AND label = ?")
    find.bind(session)
    find.bind(label)
    return try find.step() ? find.int64() : nil
  }

  /// Finds the number of the attachment of a piece that has a label and shows in a fork.
  func number(label: String, sharedIn piece: Lineage.Piece) throws -> Int64? {
    let find = try db.prepare(
      text: "SELECT number FROM attachment AS a WHERE \(Self.shared) AND label = ?5")
    Self.bind(piece, to: find)
    find.bind(label)
    return try find.step() ? find.int64() : nil
  }

  /// Returns whether a label names an attachment of a piece that shows in a fork, or may come to show there.
  ///
  /// An attachment that a parent recorded without an entry shows as soon as it is bound to a shared entry.
  func isTaken(label: String, sharedIn piece: Lineage.Piece) throws -> Bool {
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
    return try find.step()
  }
}
