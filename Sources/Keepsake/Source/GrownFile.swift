#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// A file of which the store has the beginning, as it was when it was imported last: only what follows has to be read.
///
/// It is taken for that only where its session is just as that import left it. Any other file is read from its start.
struct GrownFile: Sendable {
  let bookmark: SourceBookmark
  let session: Session
  /// How many entries and changes the session has.
  let entries: Int
  let changes: Int
  /// The import that took the beginning in, and what it is kept as.
  let `import`: Int64
  let source: SourceRow
  /// How many of its pieces stand before the bookmark.
  let pieces: Int
  let beginnings: Beginnings
  /// What was said of its records.
  let remarks: [ImportReport.Skipped]

  /// What was remembered of a file; nil where nothing was that fits, or where more than the file has changed since.
  init?(_ source: ForeignSource, core: StoreCore) throws {
    guard let standing = source.standing, let growth = source.growth else { return nil }
    let found = try core.read { db in try Self(standing, source, core, in: db) }
    guard let found, found.bookmark.offset <= found.source.size, found.source.size <= growth.size
    else { return nil }
    self = found
  }

  private init?(
    _ standing: FileStanding, _ foreign: ForeignSource, _ core: StoreCore, in db: Tables
  ) throws {
    let find = try db.prepare(
      """
      SELECT i.session, t.id, i.number, i.source, f.reached, f.line, f.reader, f.remarks, s.records,
        s.beginning, s.identity, t.entries, t.changes
      FROM seen_file AS f JOIN import AS i ON i.number = f.import
        JOIN source AS s ON s.number = i.source JOIN session AS t ON t.number = i.session
      WHERE f.place = ? AND f.reached IS NOT NULL AND f.changes = t.changes AND s.format = ?
        AND +t.state = ?
      """)
    find.bind(standing.place)
    find.bind(foreign.format)
    find.bind(SessionPresence.shown)
    guard try find.step() else { return nil }
    let session = find.int64()
    let id = UUID(bytes: find.span())
    `import` = find.int64()
    let number = find.int64()
    bookmark = SourceBookmark(
      offset: try find.int64(in: .size), line: try find.int(in: .ordinal), reader: find.bytes())
    remarks = SeenFile.remarks(find.optionalText(), path: foreign.name)
    let records = try find.int(in: .count)
    let opening = find.digest()
    let all = find.digest()
    entries = try find.int(in: .entries)
    changes = try find.int(in: .count)
    find.reset()
    guard let id, let opening, let all, let row = try SourceRow(number, in: db) else { return nil }
    beginnings = Beginnings(after: records, atOpening: opening, all: all)
    source = row
    pieces = try row.pieceCount(in: db) - (bookmark.offset < row.size ? 1 : 0)
    self.session = try Session(id: id, number: session, core: core, in: db)
  }

  /// A hash that has seen the file up to the bookmark; nil where the file does not begin with what the store has of it.
  func hash(of file: ForeignSource) throws -> KeptHash? {
    guard let standing = file.standing, let growth = file.growth else { return nil }
    let known = try file.followed?.hash(of: standing, upTo: bookmark.offset, in: growth)
    if let known, try isWhole(known, in: growth) { return known }
    var hash = SHA256()
    try Self.add(0..<bookmark.offset, of: growth, to: &hash)
    let read = KeptHash(hash)
    return try isWhole(read, in: growth) ? read : nil
  }

  /// Whether a hash goes on, over what stood behind the bookmark, to that of the file as it was taken in.
  private func isWhole(_ hash: KeptHash, in growth: ForeignSource.Growth) throws -> Bool {
    var whole = hash.copy()
    try Self.add(bookmark.offset..<source.size, of: growth, to: &whole)
    return whole.finalize() == source.digest
  }

  private static func add(
    _ range: Range<Int64>, of growth: ForeignSource.Growth, to hash: inout SHA256
  ) throws {
    var start = range.lowerBound
    while start < range.upperBound {
      try Task.checkCancellation()
      let end = min(start + 1 << 20, range.upperBound)
      hash.update(try growth.bytes(start..<end))
      start = end
    }
  }
}

extension ForeignSource {
  /// Begins to read from the start, or at what there is of it.
  func open(after grown: GrownFile?) throws -> any SourceReading {
    guard let grown else { return try open() }
    // Another version of its codec left the bookmark.
    guard let reading = try growth?.open(grown.bookmark) else { throw ImportRaced() }
    return reading
  }
}

extension ImportWriter {
  /// Makes room in the stored beginning of a file that grew, so that what is new follows it there: a session that is taken
  /// in as it is written would otherwise have a source for each line.
  ///
  /// What others have of the beginning stays as it is; then what is new becomes a source of its own.
  /// - Returns: The source; nil where the beginning can't be changed.
  func extend(_ grown: GrownFile, in db: Tables) throws -> Int64? {
    let find = try db.prepare(
      """
      SELECT 1 FROM import AS i WHERE i.number = ?1 AND i.source = ?2
        AND (i.count = 0 OR i.first + i.count = ?4)
        AND NOT EXISTS (SELECT 1 FROM import WHERE source = ?2 AND number <> ?1)
        AND NOT EXISTS (SELECT 1 FROM source WHERE base = ?2)
        AND NOT EXISTS (SELECT 1 FROM session WHERE parent = ?3)
      """)
    let number = grown.source.number
    // What it shares of another source can't be cut.
    guard grown.pieces >= grown.source.basePieces else { return nil }
    find.bind(grown.import)
    find.bind(number)
    find.bind(grown.session.number)
    find.bind(grown.entries)
    guard try find.step() else { return nil }
    find.reset()
    // What stood behind the last record comes again, before the next one.
    try SourceRemoval.cut(number, from: grown.pieces, in: db)
    let update = try db.prepare(
      "UPDATE source SET size = ?, digest = ?, records = ?, identity = ? WHERE number = ?")
    update.bind(scan.size)
    update.bind(scan.digest)
    update.bind(scan.beginnings.records)
    update.bind(scan.beginnings.all)
    update.bind(number)
    try update.run()
    return number
  }
}
