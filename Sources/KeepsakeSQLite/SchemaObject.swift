/// A table, an index, a view or a trigger of a database, as its schema has it.
public struct SchemaObject: Sendable, Hashable {
  /// `table`, `index`, `view` or `trigger`.
  public let kind: String
  public let name: String
  /// The table that an index or a trigger belongs to; of a table its own name.
  public let table: String
  /// The statement that made it; nil for an index that SQLite makes for itself.
  public let sql: String?

  /// All that is in a database, in the order of kinds and names.
  public static func all(in db: Connection) throws(SQLiteError) -> [SchemaObject] {
    let find = try db.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    var objects: [SchemaObject] = []
    while try find.step() {
      objects.append(
        SchemaObject(
          kind: find.text(), name: find.text(), table: find.text(), sql: find.optionalText()))
    }
    return objects
  }
}
