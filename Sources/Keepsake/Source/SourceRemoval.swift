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
    _ entries: ClosedRange<EntryID>, leaving unused: inout UnusedArtifacts, in db: Connection
  ) throws {
    // A record may say several entries, and begin before the range.
    let find = try db.prepare(
      """
      SELECT id FROM source_piece
      WHERE entry BETWEEN ?1 AND ?2 AND entry + entries > ?3 AND bytes IS NOT NULL
      """)
    find.bind(EntryID(session: entries.lowerBound.session, position: 0).rawValue, at: 1)
    find.bind(entries.upperBound.rawValue, at: 2)
    find.bind(entries.lowerBound.rawValue, at: 3)
    var pieces: [Int64] = []
    while try find.step() { pieces.append(find.int64(0)) }
    try SeenFile.forgetReaders(session: entries.lowerBound.session, in: db)
    for piece in pieces {
      try removeSpans(piece...piece, leaving: &unused, in: db)
      let update = try db.prepare("UPDATE source_piece SET bytes = NULL WHERE id = ?")
      update.bind(piece, at: 1)
      try update.run()
    }
  }

  /// Parts a session that goes from the sources that no other has anything of; gives these, which are to go, too.
  static func release(sourcesOf session: Int64, in db: Connection) throws -> [Int64] {
    let find = try db.prepare(
      """
      SELECT DISTINCT i.source FROM import AS i WHERE i.session = ?1 AND NOT EXISTS
        (SELECT 1 FROM import WHERE source = i.source AND session <> ?1) ORDER BY i.source
      """)
    find.bind(session, at: 1)
    var sources: [Int64] = []
    while try find.step() { sources.append(try find.int64(0, in: .source)) }
    try SeenFile.forget(session: session, in: db)
    try StreamRow.forget(session: session, in: db)
    let imports = try db.prepare("DELETE FROM import WHERE session = ?")
    imports.bind(session, at: 1)
    try imports.run()
    for source in sources { try release(source, in: db) }
    return sources
  }

  /// Marks a source as one that goes.
  static func release(_ source: Int64, in db: Connection) throws {
    let update = try db.prepare("UPDATE source SET owner = ?, target = NULL WHERE number = ?")
    update.bind(Clearing.nobody, at: 1)
    update.bind(source, at: 2)
    try update.run()
  }

  /// Removes pieces of a source that goes, as many as there is room for, and with the last of them its row.
  /// - Returns: Whether nothing is left of it.
  static func step(
    _ source: Int64, _ room: inout RemovalRoom, leaving unused: inout UnusedArtifacts,
    in db: Connection
  ) throws -> Bool {
    let own = try db.prepare("SELECT 1 FROM source WHERE number = ? AND owner = ?")
    own.bind(source, at: 1)
    own.bind(Clearing.nobody, at: 2)
    guard try own.step() else { return true }
    own.reset()
    let first = PieceID.make(source: source, ordinal: 0)
    let last = PieceID.make(source: source, ordinal: PieceID.limit - 1)
    let find = try db.prepare(
      """
      SELECT id, coalesce(length(bytes), 0),
        (SELECT count(*) FROM source_span WHERE piece = id),
        (SELECT coalesce(sum(f.size), 0) FROM source_span AS x JOIN artifact AS f
          ON f.number = x.artifact WHERE x.piece = id AND f.place = 0)
      FROM source_piece WHERE id BETWEEN ? AND ? ORDER BY id
      """)
    find.bind(first, at: 1)
    find.bind(last, at: 2)
    var reached: Int64?
    while try room.isLeft && find.step() {
      reached = find.int64(0)
      room.take(rows: 1 + find.int(2), bytes: find.int64(1) + find.int64(3))
    }
    find.reset()
    if let reached {
      try removeSpans(first...reached, leaving: &unused, in: db)
      let pieces = try db.prepare("DELETE FROM source_piece WHERE id BETWEEN ? AND ?")
      pieces.bind(first, at: 1)
      pieces.bind(reached, at: 2)
      try pieces.run()
    }
    guard room.isLeft else { return false }
    let row = try db.prepare("DELETE FROM source WHERE number = ?")
    row.bind(source, at: 1)
    try row.run()
    return true
  }

  private static func removeSpans(
    _ pieces: ClosedRange<Int64>, leaving unused: inout UnusedArtifacts, in db: Connection
  ) throws {
    let find = try db.prepare(
      "DELETE FROM source_span WHERE piece BETWEEN ? AND ? RETURNING artifact")
    find.bind(pieces.lowerBound, at: 1)
    find.bind(pieces.upperBound, at: 2)
    while try find.step() { unused.add(find.int64(0)) }
  }
}
