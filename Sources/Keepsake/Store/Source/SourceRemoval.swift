/// Removes foreign bytes from the store when the entries that they say are deleted or erased.
enum SourceRemoval {
  /// Erases the records of a range of entries from their sources; the rows of the records stay.
  /// - Returns: The sessions whose sources had such records: the one that has the entries, and forks of it.
  @discardableResult
  static func erase(
    _ entries: ClosedRange<EntryID>, leaving unused: inout UnusedArtifacts, in db: Tables
  ) throws -> Set<Int64> {
    let pieces = try db.sources.pieces(saying: entries)
    var spans: [Int64: [[SourcePiece.Span]]] = [:]
    for piece in pieces { spans[PieceID.source(piece.id), default: []].append(piece.spans) }
    let sessions = Set(try spans.keys.flatMap { try db.sources.sessions(of: $0) })
    for session in sessions.union([entries.lowerBound.session]) {
      try db.sources.forgetReaders(ofFilesOf: session)
    }
    for piece in pieces { try db.sources.erase(piece: piece.id) }
    for (source, lost) in spans {
      try SourceArtifacts.remove(lost, of: source, leaving: &unused, in: db)
    }
    return sessions
  }

  /// Removes the last pieces of a source, which are read again.
  ///
  /// An artifact that nothing else uses is left to a sweep, because it usually comes again at once.
  static func cut(_ source: Int64, from ordinal: Int, in db: Tables) throws {
    let spans = try db.sources.cut(source, from: ordinal)
    var unused = UnusedArtifacts()
    try SourceArtifacts.remove(spans, of: source, leaving: &unused, in: db)
  }

  /// Parts a session that is being removed from its sources.
  ///
  /// - Returns: The sources that no other session has anything of, which have to be removed, too.
  static func release(sourcesOf session: Int64, in db: Tables) throws -> [Int64] {
    let sources = try db.sources.sources(onlyOf: session)
    try db.sources.forgetFiles(of: session)
    try StreamRow.forget(session: session, in: db)
    try db.sources.deleteImports(of: session)
    for source in sources { try release(source, in: db) }
    return sources
  }

  /// Marks a source as one that has to be removed.
  static func release(_ source: Int64, in db: Tables) throws {
    try db.sources.release(source, to: ClearingTable.nobody)
  }

  /// Removes pieces of a source, as many as there is room for, and with the last of them its row.
  ///
  /// - Returns: False if something is left of the source.
  static func step(
    _ source: Int64, _ room: inout RemovalRoom, leaving unused: inout UnusedArtifacts,
    in db: Tables
  ) throws -> Bool {
    guard try db.sources.isOwned(source, by: ClearingTable.nobody) else { return true }
    try db.sources.deletePieces(of: source, within: &room)
    guard room.isLeft else { return false }
    // The rest of a source holds its artifacts until it is gone.
    try SourceArtifacts.removeAll(of: source, &room, leaving: &unused, in: db)
    guard room.isLeft else { return false }
    try db.sources.delete(source)
    return true
  }
}
