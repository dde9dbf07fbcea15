/// A statement with the values that go to the server with it.
package struct PostgresRequest: Sendable {
  let statement: PostgresStatement
  let values: [PostgresValue]

  init(_ statement: PostgresStatement, _ values: [PostgresValue]) {
    self.statement = statement
    self.values = values
  }

  /// The statement, whose values stand as `$1`, `$2` and so on.
  package var sql: String { statement.sql }
  /// The name under which a server keeps the statement.
  package var name: String { statement.name }
  /// The values in PostgreSQL's binary form; nil for `NULL`.
  package var encodedValues: [[UInt8]?] { values.map(\.bytes) }
}
