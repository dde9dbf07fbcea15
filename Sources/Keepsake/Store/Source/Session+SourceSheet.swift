extension Session {
  /// Compares this session with the newest file of a format that it came from; nil if there is none.
  package func sourceSheet(format: String) throws -> SourceSheet? {
    try handle.read { db in
      let entries = try SessionRow.entries(of: self, in: db)
      for piece in lineage.pieces.reversed() {
        let newest = try db.sources.newestSource(
          of: piece.session, upTo: piece.changes, format: format)
        guard let newest, let source = try SourceRow(newest.number, in: db) else { continue }
        var changed = try db.sources.entriesChanged(since: newest.change, of: piece.session)
        if number != piece.session {
          // Attachments of a fork to entries that it shares belong to the fork.
          changed.formUnion(
            try db.sources.entries(of: piece.session, withAttachmentsOf: number))
        }
        return SourceSheet(
          pieces: try pieces(of: source, changed: changed, below: entries, in: db),
          entries: entries,
          filesBeside: try db.sources.filesBeside(of: number, without: changed), handle: handle)
      }
      return nil
    }
  }

  private func pieces(
    of source: SourceRow, changed: Set<EntryID>, below end: Int, in db: Tables
  ) throws -> [SourceSheet.Piece] {
    try source.pieces(in: db).map { piece in
      guard let first = piece.entry, let positions = piece.positions else {
        return .init(positions: nil, isCurrent: !piece.isErased, id: piece.id)
      }
      let isCurrent =
        !piece.isErased && positions.upperBound <= end
        && positions.allSatisfy {
          let id = EntryID(session: first.session, position: $0)
          return lineage.id(of: $0) == id && !changed.contains(id)
        }
      return .init(positions: positions, isCurrent: isCurrent, id: piece.id)
    }
  }
}
