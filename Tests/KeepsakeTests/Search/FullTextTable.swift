import CSQLite

@testable import Keepsake

/// A real FTS5 table in memory, as the store has one: contentless, over our own tokens.
final class FullTextTable {
  struct Failure: Error {
    let message: String
  }

  private var connection: OpaquePointer?

  init(tokenizer: String = SearchText.tokenizer) throws {
    guard sqlite3_open(":memory:", &connection) == SQLITE_OK else { throw failure() }
    try run("CREATE VIRTUAL TABLE search USING fts5(body, content='', tokenize='\(tokenizer)')")
  }

  deinit {
    sqlite3_close(connection)
  }

  func insert(_ texts: [String]) throws {
    for (number, text) in texts.enumerated() {
      try run("INSERT INTO search(rowid, body) VALUES (\(number), ?1)", SearchText.indexed(text))
    }
  }

  /// The numbers of the texts that a query finds.
  func search(_ query: SearchQuery) throws -> Set<Int> {
    var found: Set<Int> = []
    try run("SELECT rowid FROM search WHERE search MATCH ?1", query.ftsExpression) { row in
      found.insert(Int(sqlite3_column_int64(row, 0)))
    }
    return found
  }

  private func run(
    _ sql: String, _ text: String? = nil, row: (OpaquePointer?) -> Void = { _ in }
  ) throws {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure()
    }
    defer { sqlite3_finalize(statement) }
    if let text {
      // SQLite copies the bytes: -1 is SQLITE_TRANSIENT, a cast macro that Swift doesn't see.
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      sqlite3_bind_text(statement, 1, text, Int32(text.utf8.count), transient)
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: row(statement)
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  private func failure() -> Failure {
    Failure(message: sqlite3_errmsg(connection).map { String(cString: $0) } ?? "out of memory")
  }
}
