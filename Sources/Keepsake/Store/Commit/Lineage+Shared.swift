extension Lineage {
  /// Tells whether all entries are here that another session shows of this one before a position.
  func isWhole(before position: Int, in db: Tables) throws -> Bool {
    try pieces.allSatisfy { try $0.isWhole(before: position, in: db) }
  }
}

extension Lineage.Piece {
  /// Tells whether the entries of the piece before a position are here. Of a deleted session the last ones go first.
  func isWhole(before position: Int, in db: Tables) throws -> Bool {
    let end = min(end, position)
    return try end <= start || db.entries.exists(EntryID(session: session, position: end - 1))
  }
}
