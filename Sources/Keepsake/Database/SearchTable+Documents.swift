import KeepsakeSQLite

extension SearchTable {
  /// An indexed entry with the number of its document.
  struct Document {
    let number: Int64
    let entry: EntryID
  }

  /// Returns the number of the newest document; 0 if there is none.
  func newestDocument() throws -> Int64 {
    let find = try db.prepare("SELECT max(number) FROM document")
    return try find.step() ? find.optionalInt64(in: .row) ?? 0 : 0
  }

  /// Returns the version of this library that made the newest document; nil if there is no document.
  func newestSegmenter() throws -> Int64? {
    try db.integer("SELECT segmenter FROM document ORDER BY number DESC LIMIT 1")
  }

  /// Returns the first documents of a range of entries, in the order of the entries.
  func documents(of ids: ClosedRange<EntryID>, limit: Int) throws -> [Document] {
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

  /// Returns the lowest and the highest number of the documents of a range of entries; nil if there are none.
  func numbers(of ids: ClosedRange<EntryID>) throws -> ClosedRange<Int64>? {
    let find = try db.prepare(
      "SELECT min(number), max(number) FROM document WHERE entry BETWEEN ? AND ?")
    find.bind(ids)
    guard try find.step(), let low = try find.optionalInt64(in: .row),
      let high = try find.optionalInt64(in: .row)
    else { return nil }
    return low...high
  }

  /// Inserts the document of an entry.
  ///
  /// - Parameters:
  ///   - number: The number of the document.
  ///   - entry: The entry.
  ///   - change: The number of the session's change that last wrote the entry.
  ///   - segmenter: The version of this library that makes the document's tokens.
  func insertDocument(_ number: Int64, of entry: EntryID, change: Int, segmenter: Int) throws {
    let insert = try db.prepare(
      "INSERT INTO document (number, entry, change, segmenter) VALUES (?, ?, ?, ?)")
    insert.bind(number)
    insert.bind(entry)
    insert.bind(change)
    insert.bind(segmenter)
    try insert.run()
  }

  /// Deletes a document, whose text is no longer in the index.
  func deleteDocument(_ number: Int64) throws {
    let delete = try db.prepare("DELETE FROM document WHERE number = ?")
    delete.bind(number)
    try delete.run()
  }
}
