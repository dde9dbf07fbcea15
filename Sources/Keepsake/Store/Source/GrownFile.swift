import KeepsakeFiles

/// A file whose beginning is in the store since its last import, so that only the rest has to be read.
///
/// The session has to be just as that import left it. Any other file is read from its start.
struct GrownFile: Sendable {
  let bookmark: SourceBookmark
  let session: Session
  /// The number of entries that the session has.
  let entries: Int
  /// The number of changes that the session has.
  let changes: Int
  /// The import that took the beginning in.
  let `import`: Int64
  /// The source that keeps the beginning.
  let source: SourceRow
  /// The number of the source's pieces that stand before the bookmark.
  let pieces: Int
  let beginnings: Beginnings
  /// The remarks of earlier imports about its records.
  let remarks: [ImportReport.Skipped]

  /// Finds the beginning of a file in the store; nil if it is not there, or if more than the file has changed since.
  init?(_ source: ForeignSource, handle: StoreHandle) throws {
    guard let standing = source.standing, let growth = source.growth else { return nil }
    let found = try handle.read { db in try Self(standing, source, handle, in: db) }
    guard let found, found.bookmark.offset <= found.source.size, found.source.size <= growth.size
    else { return nil }
    self = found
  }

  private init?(
    _ standing: FileStanding, _ foreign: ForeignSource, _ handle: StoreHandle, in db: Tables
  ) throws {
    guard let seen = try db.sources.bookmarked(standing.place, format: foreign.format),
      let row = try SourceRow(seen.source, in: db)
    else { return nil }
    `import` = seen.import
    bookmark = seen.bookmark
    remarks = SeenFile.remarks(seen.remarks, path: foreign.name)
    entries = seen.entries
    changes = seen.changes
    beginnings = Beginnings(after: seen.records, atOpening: seen.beginning, all: seen.identity)
    source = row
    pieces = try row.pieceCount(in: db) - (bookmark.offset < row.size ? 1 : 0)
    session = try Session(id: seen.sessionID, number: seen.session, handle: handle, in: db)
  }

  /// Returns the file's beginning up to the bookmark; nil if the file does not begin with the stored bytes.
  func beginning(of file: ForeignSource) throws -> ReadBeginning? {
    guard let standing = file.standing, let growth = file.growth else { return nil }
    let known = try file.followed?.beginning(of: standing, upTo: bookmark.offset, in: growth)
    if let known, try isWhole(known, in: growth) { return known }
    var hash = BeginningHasher()
    try Self.add(0..<bookmark.offset, of: growth, to: &hash)
    let read = hash.beginning
    return try isWhole(read, in: growth) ? read : nil
  }

  /// Tells whether a beginning, followed by the bytes behind the bookmark, has the digest of the stored file.
  private func isWhole(_ beginning: ReadBeginning, in growth: ForeignSource.Growth) throws -> Bool {
    var whole = beginning.hasher()
    try Self.add(bookmark.offset..<source.size, of: growth, to: &whole)
    return whole.digest == source.digest
  }

  private static func add(
    _ range: Range<Int64>, of growth: ForeignSource.Growth, to hash: inout BeginningHasher
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
  /// Begins to read the file from the start, or from the place up to which the store has it.
  func open(after grown: GrownFile?) throws -> any SourceReading {
    guard let grown else { return try open() }
    // Another version of its codec left the bookmark.
    guard let reading = try growth?.open(grown.bookmark) else { throw ImportRaced() }
    return reading
  }
}
