#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import SQLite

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
    for piece in pieces {
      try removeSpans(piece...piece, leaving: &unused, in: db)
      let update = try db.prepare("UPDATE source_piece SET bytes = NULL WHERE id = ?")
      update.bind(piece, at: 1)
      try update.run()
    }
  }

  /// Removes the sources of a session that goes, unless another has something of them.
  static func remove(
    sourcesOf session: Int64, leaving unused: inout UnusedArtifacts, in db: Connection
  ) throws {
    let find = try db.prepare(
      """
      SELECT DISTINCT i.source FROM import AS i WHERE i.session = ?1 AND NOT EXISTS
        (SELECT 1 FROM import WHERE source = i.source AND session <> ?1) ORDER BY i.source DESC
      """)
    find.bind(session, at: 1)
    var sources: [Int64] = []
    while try find.step() { sources.append(find.int64(0)) }
    let imports = try db.prepare("DELETE FROM import WHERE session = ?")
    imports.bind(session, at: 1)
    try imports.run()
    for source in sources { try remove(source, leaving: &unused, in: db) }
  }

  /// Removes one source that nothing was taken over from.
  static func remove(_ source: Int64, leaving unused: inout UnusedArtifacts, in db: Connection)
    throws
  {
    let first = PieceID.make(source: source, ordinal: 0)
    let last = PieceID.make(source: source, ordinal: PieceID.limit - 1)
    try removeSpans(first...last, leaving: &unused, in: db)
    let pieces = try db.prepare("DELETE FROM source_piece WHERE id BETWEEN ? AND ?")
    pieces.bind(first, at: 1)
    pieces.bind(last, at: 2)
    try pieces.run()
    let row = try db.prepare("DELETE FROM source WHERE number = ?")
    row.bind(source, at: 1)
    try row.run()
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

extension StoreCore {
  /// Undoes an import that did not come to its end: the session that it made goes; what it added to another stays, as
  /// whole entries.
  @discardableResult
  func abandonImport(_ source: Int64?) async throws -> Removal {
    guard let source else { return Removal() }
    let step = try await writeUncancelled { change -> RemovalStep? in
      let find = try change.db.prepare(
        "SELECT target, format, digest FROM source WHERE number = ? AND owner IS NOT NULL")
      find.bind(source, at: 1)
      guard try find.step() else { return nil }
      let target = find.optionalInt64(0)
      let detail = [
        ("format", JSON.string(find.text(1))), ("source", .string(find.digest(2)?.hex ?? "")),
      ]
      find.reset()
      try change.log(.abandon, detail)
      var unused = UnusedArtifacts()
      try SourceRemoval.remove(source, leaving: &unused, in: change.db)
      var removed = Removal()
      try unused.removeRows(countingIn: &removed, in: change.db)
      guard let target else {
        return RemovalStep(removed: removed, unused: unused, next: nil)
      }
      let hide = try change.db.prepare(
        "UPDATE session SET state = 2 WHERE number = ? AND state = 1")
      hide.bind(target, at: 1)
      try hide.run()
      return RemovalStep(removed: removed, unused: unused, next: target)
    }
    guard let step else { return Removal() }
    return try await finish(step)
  }

  /// Undoes the imports whose process ended in the middle.
  func abandonDeadImports() async throws -> Removal {
    let sources = try read { db in
      let find = try db.prepare("SELECT number, owner FROM source WHERE owner IS NOT NULL")
      var sources: [(number: Int64, owner: UUID?)] = []
      while try find.step() { sources.append((find.int64(0), UUID(bytes: find.bytes(1)))) }
      return sources
    }
    var removed = Removal()
    for source in sources {
      if let owner = source.owner, try isAlive(owner) { continue }
      removed.add(try await abandonImport(source.number))
    }
    return removed
  }
}
