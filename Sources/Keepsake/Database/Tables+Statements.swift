import KeepsakeSQLite

// Statements for the folders whose SQL has not moved here yet.
extension Tables {
  func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try connection.prepare(sql) }

  func prepare(text sql: String) throws(SQLiteError) -> Statement {
    try connection.prepare(text: sql)
  }

  func integer(_ sql: StaticString) throws(SQLiteError) -> Int64? { try connection.integer(sql) }
}
