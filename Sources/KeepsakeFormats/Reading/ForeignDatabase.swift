import KeepsakeFiles
import KeepsakeSQLite
import Keepsake

/// A foreign SQLite database, which is read in one snapshot and never changed, nor is any file beside it.
///
/// The database is not trusted. Its views and triggers don't run, only plain tables are read, and a value that is too
/// large is refused before it is read. While the snapshot is open, a program that uses no write-ahead log has to wait
/// before it writes.
final class ForeignDatabase {
  /// The wanted tables, with their columns.
  let tables: ForeignTables
  private let name: String
  private let db: Connection

  /// The largest value that is read, in bytes. A value is in memory several times, once as base64.
  static let valueLimit = 256 << 20

  /// - Parameters:
  ///   - file: The database.
  ///   - names: The names of the wanted tables.
  convenience init(_ file: ForeignFile, tables names: [String]) throws {
    try self.init(file) { db throws(SQLiteError) in try ForeignTables(names, in: db) }
  }

  /// Opens a database again, whose tables are known from an earlier opening.
  convenience init(_ file: ForeignFile, _ tables: ForeignTables) throws {
    try self.init(file) { _ throws(SQLiteError) in tables }
  }

  private init(
    _ file: ForeignFile, looking: (Connection) throws(SQLiteError) -> ForeignTables
  ) throws {
    name = file.name
    guard !file.isInMemory else {
      throw FormatError(
        .unsupported,
        "Can't import '\(file.name)': a database is read where it lies. Name its file.",
        file: file.name)
    }
    do throws(SQLiteError) {
      db = try Connection(path: file.name, access: .readOnlyUntouched)
      db.limitValues(to: Self.valueLimit)
      try db.execute("BEGIN")
      tables = try looking(db)
    } catch {
      throw FormatError.reading(error, of: file.name)
    }
  }

  deinit { db.close() }
}

// MARK: - What it is

extension ForeignDatabase {
  private static let magic = Array("SQLite format 3\0".utf8)

  /// Returns whether a file with this beginning is a SQLite database.
  static func isOne(_ head: [UInt8]) -> Bool { head.starts(with: magic) }

  /// The names of a file's plain tables; empty where the file can't be read, which the import then reports.
  static func tables(of file: ForeignFile) -> Set<String> {
    guard !file.isInMemory else { return [] }
    do throws(SQLiteError) {
      let db = try Connection(path: file.name, access: .readOnlyUntouched)
      defer { db.close() }
      db.limitValues(to: valueLimit)
      return try ForeignTables.plain(in: db)
    } catch {
      return []
    }
  }
}

// MARK: - Rows

extension ForeignDatabase {
  /// The value of a column by which rows are selected.
  enum Key {
    case text(String)
    case integer(Int64)
  }

  /// Calls a closure with each row of a table whose column has a value; never, where the table or column is missing.
  func rows(
    of table: String, where column: String, is key: Key, orderedBy order: String? = nil,
    _ body: (borrowing Statement) throws -> Void
  ) throws {
    guard tables.has(table, column) else { return }
    let columns = tables[table].map(Self.quoted).joined(separator: ", ")
    var sql = "SELECT \(columns) FROM \(Self.quoted(table)) WHERE \(Self.quoted(column)) = ?"
    if let order, tables.has(table, order) { sql += " ORDER BY \(Self.quoted(order))" }
    try reading {
      let find = try db.prepare(text: sql)
      switch key {
      case .text(let text): find.bind(text)
      case .integer(let integer): find.bind(integer)
      }
      while try find.step() { try body(find) }
    }
  }

  /// Calls a closure with some columns of all rows of a table, in the order in which the rows were written.
  ///
  /// The closure is not called where the table or one of the columns is missing.
  func all(
    _ columns: [String], of table: String, _ body: (borrowing Statement) throws -> Void
  ) throws {
    guard columns.allSatisfy({ tables.has(table, $0) }) else { return }
    let list = columns.map(Self.quoted).joined(separator: ", ")
    try reading {
      let find = try db.prepare(text: "SELECT \(list) FROM \(Self.quoted(table)) ORDER BY rowid")
      while try find.step() {
        try Task.checkCancellation()
        try body(find)
      }
    }
  }

  /// The text in a column of a table's row; nil where there is none.
  func text(_ column: String, of table: String, _ row: borrowing Statement) -> String? {
    guard let index = tables[table].firstIndex(of: column) else { return nil }
    return row.optionalText(index)
  }

  /// The integer in a column of a table's row; nil where there is none.
  func integer(_ column: String, of table: String, _ row: borrowing Statement) -> Int64? {
    guard let index = tables[table].firstIndex(of: column) else { return nil }
    return row.optionalInt64(index)
  }

  /// Runs a closure, and converts SQLite's failures.
  private func reading(_ body: () throws -> Void) throws {
    do { try body() } catch let error as SQLiteError { throw FormatError.reading(error, of: name) }
  }

  private static func quoted(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
  }
}

extension FormatError {
  /// Converts SQLite's failure to read a database.
  static func reading(_ error: SQLiteError, of file: String) -> FormatError {
    if error.isIndexUnfinished || error.isOvertaken { return changed(file) }
    let (code, reason): (Code, String) =
      if error.isBusy {
        (.unreadable, "another program is writing to it. Try again when it is done")
      } else if error.isNotADatabase {
        (.malformed, "it is no SQLite database, or an encrypted one")
      } else if error.isCorrupt {
        (.malformed, "the database is damaged (\(error.message)). Restore a backup of it")
      } else if error.isTooBig {
        (.tooLarge, "a value in it is larger than \(ForeignDatabase.valueLimit >> 20) MiB")
      } else if error.isReadOnly {
        (
          .unreadable,
          "a program was interrupted while it wrote to the database. Let that program open it once, and import it then"
        )
      } else if error.isCantOpen || error.isIOError {
        (.unreadable, "it could not be opened or read (\(error.message))")
      } else {
        (.malformed, "it is not as expected (\(error.message))")
      }
    return FormatError(code, "Can't import '\(file)': \(reason).", file: file, cause: error)
  }
}
