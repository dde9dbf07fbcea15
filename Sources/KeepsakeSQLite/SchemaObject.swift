/// A table, an index, a view or a trigger, as recorded in a database's schema.
package struct SchemaObject: Sendable, Hashable {
  /// `table`, `index`, `view` or `trigger`.
  package let kind: String
  /// The name of the object.
  package let name: String
  /// The table to which an index or a trigger belongs; the own name of a table or a view.
  package let table: String
  /// The SQL statement that created the object; nil for an index that SQLite makes itself.
  package let sql: String?

  /// Returns all objects of a database, sorted by kind and name.
  package static func all(in db: Connection) throws(SQLiteError) -> [SchemaObject] {
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
