import KeepsakeSQLite

/// The statements over the tables of the search index.
struct SearchTable {
  let db: Connection
}

extension Tables {
  var search: SearchTable { SearchTable(db: connection) }
}

// MARK: - The index

extension SearchTable {
  /// Adds a text to the full-text index under the number of its document.
  func insert(_ tokens: [UInt8], as number: Int64) throws {
    let insert = try db.prepare("INSERT INTO search (rowid, text) VALUES (?, ?)")
    insert.bind(number)
    try insert.run(binding: tokens, as: .text)
  }

  /// Removes a text from the full-text index, for which FTS5 needs the exact text that was added.
  func remove(_ tokens: [UInt8], of number: Int64) throws {
    let remove = try db.prepare("INSERT INTO search (search, rowid, text) VALUES ('delete', ?, ?)")
    remove.bind(number)
    try remove.run(binding: tokens, as: .text)
  }

  /// Merges all segments of the full-text index into one, from which removed words are left out.
  func optimize() throws {
    try db.prepare("INSERT INTO search (search) VALUES ('optimize')").run()
  }

  /// Empties the full-text index and the list of documents, and marks all entries as waiting.
  func discard() throws {
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

// MARK: - Statistics

extension SearchTable {
  /// Returns the numbers of indexed documents that have each of some terms.
  func documents(with terms: [SearchQuery.Term]) throws -> [Int64] {
    let count = try db.prepare("SELECT count(*) FROM search WHERE search MATCH ?")
    return try terms.map { term in
      count.bind(term.ftsString)
      let documents = try count.step() ? count.int64() : 0
      count.reset()
      return documents
    }
  }

  /// Returns FTS5's record of the numbers of documents and words in the index; nil if there is none.
  ///
  /// It is the first row of FTS5's data ("The averages record", fts5.html).
  func averages() throws -> [UInt8]? {
    let find = try db.prepare("SELECT block FROM search_data WHERE id = 1")
    return try find.step() ? find.bytes() : nil
  }
}
