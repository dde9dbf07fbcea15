/// The answer of a server to a statement.
struct PostgresAnswer: Sendable {
  var rows: [PostgresRow] = []
  /// The server's name for what it did, such as `COMMIT`.
  var tag = ""
}
