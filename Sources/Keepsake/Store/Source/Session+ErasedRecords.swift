extension Session {
  /// Returns the positions of entries whose records are no longer kept, because something of them was erased.
  func erasedRecords(in db: Tables) throws -> Set<Int> {
    var positions: Set<Int> = []
    for piece in lineage.pieces {
      for record in try db.sources.erasedPieces(of: piece.session) {
        positions.formUnion(record.positions ?? 0..<0)
      }
    }
    return positions
  }
}
