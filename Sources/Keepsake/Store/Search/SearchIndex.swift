/// The full-text index, and the queue of entries that wait for it.
///
/// Every entry is in one of two states. It *waits* while a mark in `search_queue` is at its position or before it. Otherwise it
/// has a row in `document`, and its present text is in the index under that row's number. All functions run inside a write
/// transaction of the caller.
enum SearchIndex {
  /// The amount that one transaction indexes.
  struct Limit {
    let entries: Int
    /// The bytes of the entries' texts.
    let bytes: Int

    /// The amount for idle work, with which a request waits for about 30 ms at most.
    static let brief = Limit(entries: 256, bytes: 1 << 20)
    /// The amount for work that somebody waits for.
    ///
    /// FTS5 writes a segment for each transaction and merges the segments later, so a fourfold amount takes 0.6 of the time for
    /// the whole.
    static let large = Limit(entries: 4096, bytes: 4 << 20)
  }

  /// Indexes one batch of the waiting entries, and returns whether more are left.
  static func indexBatch(_ limit: Limit = .brief, in db: Tables) throws -> Bool {
    switch try state(in: db) {
    case .current: break
    case .older: try discard(in: db)
    // The index was made by a newer version, which also has to index the waiting entries.
    case .newer: return false
    }
    var batch = Batch(limit)
    for mark in try db.search.marks(limit.entries) {
      guard batch.hasRoom else { break }
      try batch.take(from: mark, in: db)
    }
    try batch.insert(in: db)
    return try db.search.hasWaiting()
  }

  /// Runs a change to an entry's content or attachments, and updates the index.
  ///
  /// The old text is read before the change, because FTS5 needs the exact text to remove it. The entry keeps its place in the
  /// order of documents. For an entry that waits nothing has to be done.
  static func changing<Result>(
    _ entry: EntryID, in db: Tables, _ change: () throws -> Result
  ) throws -> Result {
    guard let number = try remove(entry: entry, in: db) else { return try change() }
    let result = try change()
    try insert(entry, as: number, in: db)
    return result
  }

  /// Runs a change to several entries, and updates the index as ``changing(_:in:_:)`` does for one.
  static func changing<Result>(
    _ entries: [EntryID], in db: Tables, _ change: () throws -> Result
  ) throws -> Result {
    var removed: [(entry: EntryID, number: Int64)] = []
    for entry in entries {
      if let number = try remove(entry: entry, in: db) { removed.append((entry, number)) }
    }
    let result = try change()
    for (entry, number) in removed { try insert(entry, as: number, in: db) }
    return result
  }

  private static func insert(_ entry: EntryID, as number: Int64, in db: Tables) throws {
    guard let row = try EntryTextReader(db: db).row(entry) else { return }
    try insert(row, tokens: SearchText.tokens(of: row.text.bytes), as: number, in: db)
  }

  /// Returns the number of waiting entries that a search has to read.
  static func waitingEntries(in db: Tables) throws -> Int { try db.search.waitingEntries() }

  /// Tells whether more entries wait than a search could read in reasonable time.
  static func presses(in db: Tables) throws -> Bool { try waitingEntries(in: db) > 20_000 }

  private static func insert(
    _ row: EntryTextReader.Row, tokens: [UInt8], as number: Int64, in db: Tables
  ) throws {
    try db.search.insertDocument(
      number, of: row.id, change: row.change, segmenter: SearchText.version)
    try db.search.insert(tokens, as: number)
  }

  /// Entries that are read and not yet in the index.
  private struct Batch {
    private var rows: [(row: EntryTextReader.Row, tokens: [UInt8])] = []
    private let limit: Limit
    private var taken = 0
    private var bytes = 0

    init(_ limit: Limit) { self.limit = limit }

    var hasRoom: Bool { taken < limit.entries && bytes < limit.bytes }

    /// Adds waiting entries from a mark on, and moves the mark behind them.
    mutating func take(from mark: EntryID, in db: Tables) throws {
      let last = min(mark.position + limit.entries - taken - 1, EntryID.maximumPosition)
      var next = mark.position
      try EntryTextReader(db: db).rows(mark...EntryID(session: mark.session, position: last)) {
        row in
        next = row.id.position + 1
        taken += 1
        bytes += row.text.bytes.count
        // Only the tokens are kept, so that a batch holds each text once.
        var row = row
        let tokens = SearchText.tokens(of: row.text.bytes)
        row.text = EntryText()
        rows.append((row, tokens))
        return hasRoom
      }
      try SearchIndex.move(mark, to: next, in: db)
    }

    /// Indexes all entries of the batch, ordered by time.
    mutating func insert(in db: Tables) throws {
      rows.sort { ($0.row.created, $0.row.id) < ($1.row.created, $1.row.id) }
      var number = try db.search.newestDocument()
      for (row, tokens) in rows {
        number += 1
        try SearchIndex.insert(row, tokens: tokens, as: number, in: db)
      }
    }
  }

  /// Moves a mark to the next waiting entry, or removes the mark if there is none.
  private static func move(_ mark: EntryID, to position: Int, in db: Tables) throws {
    if position <= EntryID.maximumPosition,
      try db.entries.exists(EntryID(session: mark.session, position: position))
    {
      try db.search.moveMark(of: mark.session, to: position)
    } else {
      try db.search.removeMark(of: mark.session)
    }
  }
}

// MARK: - The version

extension SearchIndex {
  /// The version of this library that made the index, compared with the present one.
  enum State {
    case current, older, newer
  }

  /// Compares the version of the newest document, which is that of all documents, because versions are never mixed.
  static func state(in db: Tables) throws -> State {
    guard let version = try db.search.newestSegmenter() else { return .current }
    return version == SearchText.version
      ? .current : version < SearchText.version ? .older : .newer
  }

  /// Empties the index and marks all entries as waiting.
  ///
  /// Single texts of another version can't be removed, because their exact tokens are unknown.
  static func discard(in db: Tables) throws { try db.search.discard() }
}
