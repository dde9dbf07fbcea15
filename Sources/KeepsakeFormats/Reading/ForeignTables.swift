import KeepsakeSQLite

/// The wanted plain tables of a foreign database, with their columns in order.
///
/// Programs add tables and columns over the years, so a missing one is no fault. Views, virtual tables and generated
/// columns are left out, because reading them would run code of the database.
struct ForeignTables: Sendable {
  private var columns: [String: [String]] = [:]

  init(_ names: [String], in db: Connection) throws(SQLiteError) {
    let plain = try Self.plain(in: db)
    for name in names where plain.contains(name) {
      let find = try db.prepare("SELECT name FROM pragma_table_info(?1)")
      find.bind(name)
      var found: [String] = []
      while try find.step() { found.append(find.text()) }
      columns[name] = found
    }
  }

  /// The columns of a table; empty where the table is missing.
  subscript(table: String) -> [String] { columns[table] ?? [] }

  func has(_ table: String, _ names: String...) -> Bool {
    names.allSatisfy(self[table].contains)
  }

  /// The names of all plain tables, whose statements SQLite stores with the beginning `CREATE TABLE `.
  static func plain(in db: Connection) throws(SQLiteError) -> Set<String> {
    var names: Set<String> = []
    for object in try SchemaObject.all(in: db) where object.kind == "table" {
      if object.sql?.hasPrefix("CREATE TABLE ") == true { names.insert(object.name) }
    }
    return names
  }
}
