extension ImportWriter {
  /// Makes room in the stored beginning of a file that grew, so that the new records follow it there.
  ///
  /// A session that is taken in as it is written would otherwise have a source for each line. A beginning that others use
  /// stays as it is, and then the new records become a source of their own.
  /// - Returns: The source; nil if the beginning can't be changed.
  func extend(_ grown: GrownFile, in db: Tables) throws -> Int64? {
    let number = grown.source.number
    // Pieces that belong to another source can't be cut.
    guard grown.pieces >= grown.source.basePieces,
      try db.sources.canExtend(
        grown.import, of: number, in: grown.session.number, entries: grown.entries)
    else { return nil }
    // The bytes behind the last record come again, before the next one.
    try SourceRemoval.cut(number, from: grown.pieces, in: db)
    try db.sources.update(
      number, size: scan.size, digest: scan.digest, records: scan.beginnings.records,
      identity: scan.beginnings.all)
    return number
  }
}
