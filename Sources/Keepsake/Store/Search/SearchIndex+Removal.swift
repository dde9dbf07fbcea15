extension SearchIndex {
  /// The number of documents that are removed before the next ones are looked up.
  private static let removalEntries = 256

  /// Removes a session's own entries from the index and the queue, before the entries are deleted.
  ///
  /// The words are gone from the file only after ``Trace/rewriteIndex(in:)``.
  /// - Parameters:
  ///   - number: The session's number.
  ///   - start: The first position to remove, for a session whose first entries forks still need.
  ///   - db: The writer's connection.
  static func remove(session number: Int64, from start: Int = 0, in db: Tables) throws {
    if try state(in: db) != .current { try discard(in: db) }
    try db.search.removeMark(of: number, from: start)
    var next = EntryID(session: number, position: start)
    let last = EntryID(session: number, position: EntryID.maximumPosition)
    while next <= last {
      let documents = try db.search.documents(of: next...last, limit: removalEntries)
      if !documents.isEmpty { try Trace.index.mark(in: db) }
      for document in documents { try remove(document, in: db) }
      guard documents.count == removalEntries, let reached = documents.last else { return }
      next = EntryID(rawValue: reached.entry.rawValue + 1)
    }
  }

  /// Removes an entry from the index before its content is erased, and returns the number of its document.
  ///
  /// Nothing finds the entry until it is indexed again. For a mere change there is ``changing(_:in:_:)``. The words are gone
  /// from the file only after ``scrub(in:)``.
  @discardableResult
  static func remove(entry: EntryID, in db: Tables) throws -> Int64? {
    guard let document = try db.search.documents(of: entry...entry, limit: 1).first else {
      return nil
    }
    guard try state(in: db) == .current else {
      try discard(in: db)
      return nil
    }
    try remove(document, in: db)
    return document.number
  }

  /// Rewrites the index without removed words; the cost is the size of the whole index.
  ///
  /// FTS5 only marks what is deleted and drops it when it merges segments, so that erased words would stay in the file for an
  /// unknown time.
  static func scrub(in db: Tables) throws {
    try db.search.optimize()
  }

  private static func remove(_ document: SearchTable.Document, in db: Tables) throws {
    guard let row = try EntryTextReader(db: db).row(document.entry) else {
      throw KeepsakeError(
        .damaged,
        """
        The index holds the entry at position \(document.entry.position) of session number \
        \(document.entry.session), which is not there.
        """, remedy: .verify)
    }
    try db.search.remove(SearchText.tokens(of: row.text.bytes), of: document.number)
    try db.search.deleteDocument(document.number)
  }
}
