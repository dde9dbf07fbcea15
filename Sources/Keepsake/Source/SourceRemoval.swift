#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Takes foreign bytes out of the store, when what they say is deleted or erased.
enum SourceRemoval {
  /// Forgets what sources say of a range of entries; their places stay.
  static func erase(
    _ entries: ClosedRange<EntryID>, leaving unused: inout UnusedArtifacts, in db: Tables
  ) throws {
    // A record may say several entries, and begin before the range.
    let find = try db.prepare(
      """
      SELECT id, spans FROM source_piece
      WHERE entry BETWEEN ?1 AND ?2 AND entry + entries > ?3 AND bytes IS NOT NULL
      """)
    find.bind(EntryID(session: entries.lowerBound.session, position: 0))
    find.bind(entries.upperBound)
    find.bind(entries.lowerBound)
    var pieces: [Int64] = []
    var spans: [Int64: [[SourcePiece.Span]]] = [:]
    while try find.step() {
      let piece = find.int64()
      pieces.append(piece)
      spans[PieceID.source(piece), default: []].append(
        try SpanText.spans(of: piece, in: find))
    }
    try SeenFile.forgetReaders(session: entries.lowerBound.session, in: db)
    for piece in pieces {
      let update = try db.prepare(
        "UPDATE source_piece SET bytes = NULL, spans = NULL, size = NULL WHERE id = ?")
      update.bind(piece)
      try update.run()
    }
    for (source, lost) in spans {
      try SourceArtifacts.remove(lost, of: source, leaving: &unused, in: db)
    }
  }

  /// Removes the last pieces of a source, which are read again. An artifact that nothing else uses is left to a sweep: as a
  /// rule it comes again at once.
  static func cut(_ source: Int64, from ordinal: Int, in db: Tables) throws {
    let delete = try db.prepare(
      "DELETE FROM source_piece WHERE id >= ? AND id < ? RETURNING id, spans")
    delete.bind(PieceID.make(source: source, ordinal: ordinal))
    delete.bind(PieceID.make(source: source + 1, ordinal: 0))
    var spans: [[SourcePiece.Span]] = []
    while try delete.step() {
      spans.append(try SpanText.spans(of: delete.int64(), in: delete))
    }
    var unused = UnusedArtifacts()
    try SourceArtifacts.remove(spans, of: source, leaving: &unused, in: db)
  }

  /// Parts a session that goes from the sources that no other has anything of; gives these, which are to go, too.
  static func release(sourcesOf session: Int64, in db: Tables) throws -> [Int64] {
    let find = try db.prepare(
      """
      SELECT DISTINCT i.source FROM import AS i WHERE i.session = ?1 AND NOT EXISTS
        (SELECT 1 FROM import WHERE source = i.source AND session <> ?1) ORDER BY i.source
      """)
    find.bind(session)
    var sources: [Int64] = []
    while try find.step() { sources.append(try find.int64(in: .source)) }
    try SeenFile.forget(session: session, in: db)
    try StreamRow.forget(session: session, in: db)
    let imports = try db.prepare("DELETE FROM import WHERE session = ?")
    imports.bind(session)
    try imports.run()
    for source in sources { try release(source, in: db) }
    return sources
  }

  /// Marks a source as one that goes.
  static func release(_ source: Int64, in db: Tables) throws {
    let update = try db.prepare("UPDATE source SET owner = ?, target = NULL WHERE number = ?")
    update.bind(Clearing.nobody)
    update.bind(source)
    try update.run()
  }

  /// Removes pieces of a source that goes, as many as there is room for, and with the last of them its row.
  /// - Returns: Whether nothing is left of it.
  static func step(
    _ source: Int64, _ room: inout RemovalRoom, leaving unused: inout UnusedArtifacts,
    in db: Tables
  ) throws -> Bool {
    let own = try db.prepare("SELECT 1 FROM source WHERE number = ? AND owner = ?")
    own.bind(source)
    own.bind(Clearing.nobody)
    guard try own.step() else { return true }
    own.reset()
    let first = PieceID.make(source: source, ordinal: 0)
    let last = PieceID.make(source: source, ordinal: PieceID.limit - 1)
    let find = try db.prepare(
      """
      SELECT id, coalesce(length(bytes), 0) + coalesce(length(spans), 0)
      FROM source_piece WHERE id BETWEEN ? AND ? ORDER BY id
      """)
    find.bind(first)
    find.bind(last)
    var reached: Int64?
    while try room.isLeft && find.step() {
      reached = find.int64()
      room.take(rows: 1, bytes: find.int64())
    }
    find.reset()
    if let reached {
      let pieces = try db.prepare("DELETE FROM source_piece WHERE id BETWEEN ? AND ?")
      pieces.bind(first)
      pieces.bind(reached)
      try pieces.run()
    }
    guard room.isLeft else { return false }
    // Not before: what is left of it holds its artifacts until it is gone.
    try SourceArtifacts.removeAll(of: source, &room, leaving: &unused, in: db)
    guard room.isLeft else { return false }
    guard room.isLeft else { return false }
    let row = try db.prepare("DELETE FROM source WHERE number = ?")
    row.bind(source)
    try row.run()
    return true
  }
}
