import KeepsakeSQLite

/// A table, an index, a view or a trigger of the schema.
struct SchemaRow: Hashable {
  /// The word `table`, `index`, `view` or `trigger`.
  let kind: String
  let name: String
  /// The table to which an index or a trigger belongs; the own name of a table or a view.
  let table: String
  /// The SQL that made it; nil for an index that SQLite makes itself.
  let sql: String?

  init(_ object: SchemaObject) {
    kind = object.kind
    name = object.name
    table = object.table
    sql = object.sql
  }
}
