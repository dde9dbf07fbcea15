import KeepsakeSQLite

/// Some plain tables of a foreign database, and their columns, in their order.
///
/// Programs add tables and columns over the years, so what is missing is no fault. Views, virtual tables and columns that
/// are computed are left out: they are a stranger's program.
struct ForeignTables: Sendable {
  private var columns: [String: [String]] = [:]

  init(_ names: [String], in db: Connection) throws(SQLiteError) {
    let plain = try Self.plain(in: db)
    for name in names where plain.contains(name) {
      let find = try db.prepare("SELECT name FROM pragma_table_info(?1)")
      find.bind(name, at: 1)
      var found: [String] = []
      while try find.step() { found.append(find.text(0)) }
      columns[name] = found
    }
  }

  /// The columns of a table; none where it is not there.
  subscript(table: String) -> [String] { columns[table] ?? [] }

  func has(_ table: String, _ names: String...) -> Bool {
    names.allSatisfy(self[table].contains)
  }

  /// The names of all plain tables. SQLite writes the statement that made one in this way.
  static func plain(in db: Connection) throws(SQLiteError) -> Set<String> {
    var names: Set<String> = []
    for object in try SchemaObject.all(in: db) where object.kind == "table" {
      if object.sql?.hasPrefix("CREATE TABLE ") == true { names.insert(object.name) }
    }
    return names
  }
}
