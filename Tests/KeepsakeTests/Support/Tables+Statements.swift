import KeepsakeSQLite

@testable import Keepsake

/// Statements that a test makes itself, to look at the database or to spoil it.
extension Tables {
  func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try connection.prepare(sql) }

  func prepare(text sql: String) throws(SQLiteError) -> Statement {
    try connection.prepare(text: sql)
  }

  func integer(_ sql: StaticString) throws(SQLiteError) -> Int64? { try connection.integer(sql) }

  func execute(_ script: String) throws(SQLiteError) { try connection.execute(script) }

  func text(_ sql: StaticString) throws(SQLiteError) -> String? { try connection.text(sql) }

  func count(of counter: Connection.Counter) -> Int { connection.count(of: counter) }

  func brokenForeignKeys() throws(SQLiteError) -> [(table: String, row: Int64?, parent: String)] {
    try connection.brokenForeignKeys()
  }
}
