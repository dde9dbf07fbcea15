import KeepsakeFiles
import KeepsakeSQLite
import Keepsake

/// A foreign SQLite database, read in one snapshot of it and never changed: no byte of it, nor of what lies beside it.
///
/// The database is a stranger's: its views and triggers don't run, its tables count only where they are plain ones, and a value that
/// is too large is refused before it is read. While the snapshot is open, a program that keeps no write-ahead log waits
/// before it writes.
final class ForeignDatabase {
  /// The tables that are of interest, with their columns.
  let tables: ForeignTables
  private let name: String
  private let db: Connection

  /// The largest value that is read: of an attachment there are some copies in memory, once as base64.
  static let valueLimit = 256 << 20

  /// - Parameters:
  ///   - file: The database.
  ///   - names: The tables that are of interest.
  convenience init(_ file: ForeignFile, tables names: [String]) throws {
    try self.init(file) { db throws(SQLiteError) in try ForeignTables(names, in: db) }
  }

  /// Opens a database again whose tables are known.
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

  /// Whether a file that begins so is a SQLite database.
  static func isOne(_ head: [UInt8]) -> Bool { head.starts(with: magic) }

  /// The names of a file's plain tables; none where it can't be read, which is told when it is imported.
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
  /// What a column must be for a row to be wanted.
  enum Key {
    case text(String)
    case integer(Int64)
  }

  /// Hands over the rows of a table in which a column has a value, with all columns that are known of it; none where there
  /// is no such table or column.
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
      case .text(let text): find.bind(text, at: 1)
      case .integer(let integer): find.bind(integer, at: 1)
      }
      while try find.step() { try body(find) }
    }
  }

  /// Hands over certain columns of all rows of a table, in the order in which they were written; none where there is no
  /// such table or column.
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

  /// The text of a column of a row of a table; nil where there is none.
  func text(_ column: String, of table: String, _ row: borrowing Statement) -> String? {
    guard let index = tables[table].firstIndex(of: column) else { return nil }
    return row.optionalText(index)
  }

  /// The integer of a column of a row of a table; nil where there is none.
  func integer(_ column: String, of table: String, _ row: borrowing Statement) -> Int64? {
    guard let index = tables[table].firstIndex(of: column) else { return nil }
    return row.optionalInt64(index)
  }

  /// Does something whose failures are the database's.
  private func reading(_ body: () throws -> Void) throws {
    do { try body() } catch let error as SQLiteError { throw FormatError.reading(error, of: name) }
  }

  private static func quoted(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
  }
}

extension FormatError {
  /// What SQLite said of a database that was to be read.
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
