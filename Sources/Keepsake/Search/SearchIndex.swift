import KeepsakeSQLite

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
    for mark in try marks(limit.entries, in: db) {
      guard batch.hasRoom else { break }
      try batch.take(from: mark, in: db)
    }
    try batch.insert(in: db)
    return try db.integer("SELECT EXISTS (SELECT 1 FROM search_queue)") == 1
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
    guard let row = try EntryTextReader(db: db).row(entry) else { return result }
    try insert(row, tokens: SearchText.tokens(of: row.text.bytes), as: number, in: db)
    return result
  }

  /// Returns the number of waiting entries that a search has to read.
  static func waitingEntries(in db: Tables) throws -> Int {
    // The queue comes first in the join, because it has few sessions, however many the store has.
    let waiting = try db.integer(
      """
      SELECT sum(s.entries - q.position) FROM search_queue AS q
      CROSS JOIN session AS s ON s.number = q.session WHERE s.state <> 1
      """)
    return Int(waiting ?? 0)
  }

  /// Whether more entries wait than a search could read in reasonable time.
  static func presses(in db: Tables) throws -> Bool { try waitingEntries(in: db) > 20_000 }

  /// Returns the number of the newest document; 0 if there is none.
  static func newest(in db: Tables) throws -> Int64 {
    let find = try db.prepare("SELECT max(number) FROM document")
    return try find.step() ? find.optionalInt64(in: .row) ?? 0 : 0
  }

  private static func marks(_ limit: Int, in db: Tables) throws -> [EntryID] {
    let find = try db.prepare("SELECT session, position FROM search_queue ORDER BY session LIMIT ?")
    find.bind(limit)
    var marks: [EntryID] = []
    while try find.step() {
      marks.append(
        EntryID(
          session: try find.int64(in: .session), position: try find.int(in: .position)))
    }
    return marks
  }

  private static func insert(
    _ row: EntryTextReader.Row, tokens: [UInt8], as number: Int64, in db: Tables
  ) throws {
    let document = try db.prepare(
      "INSERT INTO document (number, entry, change, segmenter) VALUES (?, ?, ?, ?)")
    document.bind(number)
    document.bind(row.id)
    document.bind(row.change)
    document.bind(SearchText.version)
    try document.run()
    let text = try db.prepare("INSERT INTO search (rowid, text) VALUES (?, ?)")
    text.bind(number)
    try text.run(binding: tokens, as: .text)
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
      var number = try SearchIndex.newest(in: db)
      for (row, tokens) in rows {
        number += 1
        try SearchIndex.insert(row, tokens: tokens, as: number, in: db)
      }
    }
  }

  /// Moves a mark to the next waiting entry, or removes the mark if there is none.
  private static func move(_ mark: EntryID, to position: Int, in db: Tables) throws {
    let find = try db.prepare("SELECT 1 FROM entry WHERE id = ?")
    find.bind(EntryID(session: mark.session, position: position))
    if position <= EntryID.maximumPosition, try find.step() {
      let update = try db.prepare("UPDATE search_queue SET position = ? WHERE session = ?")
      update.bind(position)
      update.bind(mark.session)
      try update.run()
    } else {
      let delete = try db.prepare("DELETE FROM search_queue WHERE session = ?")
      delete.bind(mark.session)
      try delete.run()
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
    guard
      let version = try db.integer("SELECT segmenter FROM document ORDER BY number DESC LIMIT 1")
    else { return .current }
    return version == SearchText.version
      ? .current : version < SearchText.version ? .older : .newer
  }

  /// Empties the index and marks all entries as waiting.
  ///
  /// Single texts of another version can't be removed, because their exact tokens are unknown.
  static func discard(in db: Tables) throws {
    try db.prepare("INSERT INTO search (search) VALUES ('delete-all')").run()
    try db.prepare("DELETE FROM document").run()
    try db.prepare(
      """
      INSERT INTO search_queue (session, position)
      SELECT number, coalesce(fork_position, 0) FROM session
      WHERE entries > coalesce(fork_position, 0)
      ON CONFLICT (session) DO UPDATE SET position = excluded.position
      """
    ).run()
  }
}
