import KeepsakeSQLite

extension SearchIndex {
  /// How many documents are taken out before the next are looked up.
  private static let removalEntries = 256

  /// Takes a session's own entries out of the index, and the session out of the queue, before they are deleted.
  ///
  /// Their words are gone from the file once ``Trace/rewriteIndex(in:)`` is done.
  /// - Parameter start: The first position to take out, for a session whose beginning forks still need.
  static func remove(session number: Int64, from start: Int = 0, in db: Connection) throws {
    if try state(in: db) != .current { try discard(in: db) }
    let unmark = try db.prepare("DELETE FROM search_queue WHERE session = ? AND position >= ?")
    unmark.bind(number)
    unmark.bind(start)
    try unmark.run()
    var next = EntryID(session: number, position: start)
    let last = EntryID(session: number, position: EntryID.maximumPosition)
    while next <= last {
      let documents = try documents(of: next...last, limit: removalEntries, in: db)
      if !documents.isEmpty { try Trace.index.mark(in: db) }
      for document in documents { try remove(document, in: db) }
      guard documents.count == removalEntries, let reached = documents.last else { return }
      next = EntryID(rawValue: reached.entry.rawValue + 1)
    }
  }

  /// Takes an entry out of the index, before its content is erased; gives the number that its document had.
  ///
  /// Until it is put back, nothing finds it. For what only changes the entry there is ``changing(_:in:_:)``. The words
  /// themselves are gone from the file after ``scrub(in:)``.
  @discardableResult
  static func remove(entry: EntryID, in db: Connection) throws -> Int64? {
    guard let document = try documents(of: entry...entry, limit: 1, in: db).first else {
      return nil
    }
    guard try state(in: db) == .current else {
      try discard(in: db)
      return nil
    }
    try remove(document, in: db)
    return document.number
  }

  /// Rewrites the index without the words that were taken out of it.
  ///
  /// FTS5 only notes what is deleted, and drops it when it merges segments; so after an erasure the words would be in
  /// the file for an uncertain time. The cost is the size of the whole index.
  static func scrub(in db: Connection) throws {
    try db.prepare("INSERT INTO search (search) VALUES ('optimize')").run()
  }

  private struct Document {
    let number: Int64
    let entry: EntryID
  }

  private static func documents(of ids: ClosedRange<EntryID>, limit: Int, in db: Connection) throws
    -> [Document]
  {
    let find = try db.prepare(
      """
      SELECT number, entry FROM document
      WHERE entry BETWEEN ? AND ? ORDER BY entry LIMIT ?
      """)
    find.bind(ids.lowerBound)
    find.bind(ids.upperBound)
    find.bind(limit)
    var documents: [Document] = []
    while try find.step() {
      documents.append(
        Document(number: try find.int64(in: .row), entry: find.entryID()))
    }
    return documents
  }

  private static func remove(_ document: Document, in db: Connection) throws {
    guard let row = try EntryTextReader(db: db).row(document.entry) else {
      throw KeepsakeError(
        .damaged,
        """
        The index holds the entry at position \(document.entry.position) of session number \
        \(document.entry.session), which is not there.
        """, remedy: .verify)
    }
    let text = try db.prepare("INSERT INTO search (search, rowid, text) VALUES ('delete', ?, ?)")
    text.bind(document.number)
    try text.run(binding: SearchText.tokens(of: row.text.bytes), as: .text)
    let delete = try db.prepare("DELETE FROM document WHERE number = ?")
    delete.bind(document.number)
    try delete.run()
  }
}
