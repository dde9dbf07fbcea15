import KeepsakeFiles

/// A statement of SQL, which a server plans once for each connection and knows again by its name.
struct PostgresStatement: Sendable, Hashable {
  /// The statement, whose values stand as `$1`, `$2` and so on.
  let sql: String
  /// The name, which no other statement has: it holds a hash of the SQL.
  let name: String
  /// Tells whether the statement writes, so that a warning means that nobody knows whether it will last.
  let isWriting: Bool

  init(_ sql: String, isWriting: Bool = false) {
    self.sql = sql
    self.isWriting = isWriting
    name = "keepsake_\(SHA256.digest(of: Array(sql.utf8)).hex.prefix(24))"
  }
}
