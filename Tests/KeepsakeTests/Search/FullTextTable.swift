import KeepsakeSQLite

@testable import Keepsake

/// A real FTS5 table in memory, as the store has one: contentless, over our own tokens.
final class FullTextTable {
  private let db: Connection

  init(tokenizer: String = SearchText.tokenizer) throws {
    db = try Connection(path: ":memory:", access: .readWrite)
    try db.execute(
      "CREATE VIRTUAL TABLE search USING fts5(body, content='', tokenize='\(tokenizer)')")
  }

  func insert(_ texts: [String]) throws {
    for (number, text) in texts.enumerated() {
      let insert = try db.prepare("INSERT INTO search (rowid, body) VALUES (?, ?)")
      insert.bind(number, at: 1)
      insert.bind(SearchText.indexed(text), at: 2)
      try insert.run()
    }
  }

  /// The numbers of the texts that a query finds.
  func search(_ query: SearchQuery) throws -> Set<Int> {
    let find = try db.prepare("SELECT rowid FROM search WHERE search MATCH ?")
    find.bind(query.ftsExpression, at: 1)
    var found: Set<Int> = []
    while try find.step() { found.insert(find.int(0)) }
    return found
  }
}
