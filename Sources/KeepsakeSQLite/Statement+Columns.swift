import CKeepsakeSQLite

/// Reading of the current row's columns, in order: each call reads the next column, and each row starts with the first.
///
/// A position, which counts from 0, names a column out of order. A column that doesn't exist reads as NULL.
extension Statement {
  /// Reads an integer; NULL reads as 0.
  package func int64(_ column: Int? = nil) -> Int64 {
    unsafe sqlite3_column_int64(prepared.handle, place(column))
  }

  /// Reads an integer; NULL reads as 0.
  package func int(_ column: Int? = nil) -> Int {
    Int(truncatingIfNeeded: int64(column))
  }

  /// Reads an integer, or nil for NULL.
  package func optionalInt64(_ column: Int? = nil) -> Int64? {
    let column = position(column)
    return isNull(column) ? nil : int64(column)
  }

  /// Reads an integer, or nil for NULL.
  package func optionalInt(_ column: Int? = nil) -> Int? {
    let column = position(column)
    return isNull(column) ? nil : int(column)
  }

  /// Reads a floating-point number; NULL reads as 0.
  package func double(_ column: Int? = nil) -> Double {
    unsafe sqlite3_column_double(prepared.handle, place(column))
  }

  /// Reads a floating-point number, or nil for NULL.
  package func optionalDouble(_ column: Int? = nil) -> Double? {
    let column = position(column)
    return isNull(column) ? nil : double(column)
  }

  /// Reads a truth value: anything but 0 and NULL is true.
  package func bool(_ column: Int? = nil) -> Bool {
    int64(column) != 0
  }

  /// Reads text; NULL reads as the empty string, and bytes that are not UTF-8 as U+FFFD.
  package func text(_ column: Int? = nil) -> String {
    optionalText(column) ?? ""
  }

  /// Reads text, or nil for NULL; bytes that are not UTF-8 read as U+FFFD.
  package func optionalText(_ column: Int? = nil) -> String? {
    let column = position(column)
    // SQLite's documentation asks for the pointer first and the length second.
    guard let start = unsafe sqlite3_column_text(prepared.handle, Int32(column)) else { return nil }
    let utf8 = unsafe UnsafeBufferPointer(start: start, count: count(column))
    return unsafe String(decoding: utf8, as: UTF8.self)
  }

  /// Reads bytes; NULL reads as an empty array.
  package func bytes(_ column: Int? = nil) -> [UInt8] {
    unsafe [UInt8](rawBytes(position(column)))
  }

  /// Reads bytes, or nil for NULL.
  package func optionalBytes(_ column: Int? = nil) -> [UInt8]? {
    let column = position(column)
    return isNull(column) ? nil : bytes(column)
  }

  /// Reads the bytes of a blob, or of a text as UTF-8, in SQLite's own memory, without a copy.
  ///
  /// The span is valid until the statement steps or is reset, or the column is read as another type.
  @_lifetime(borrow self)
  package func span(_ column: Int? = nil) -> RawSpan {
    let span = unsafe RawSpan(_unsafeBytes: rawBytes(position(column)))
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// The types in which SQLite stores values.
  package enum Kind: Sendable {
    case null, integer, real, text, blob
  }

  /// Returns the type in which a column's value is stored, if the column was not read as another type before.
  package func kind(_ column: Int) -> Kind {
    switch unsafe sqlite3_column_type(prepared.handle, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Returns whether a column of the current row is NULL.
  package func isNull(_ column: Int) -> Bool {
    unsafe sqlite3_column_type(prepared.handle, Int32(column)) == SQLITE_NULL
  }

  /// Returns the name of a column in the result, which may be an expression.
  package func name(_ column: Int) -> String {
    unsafe sqlite3_column_name(prepared.handle, Int32(column)).map {
      unsafe String(cString: $0)
    } ?? ""
  }

  /// Returns the length in bytes of a column's blob, or of its text as UTF-8.
  package func count(_ column: Int) -> Int {
    unsafe Int(sqlite3_column_bytes(prepared.handle, Int32(column)))
  }

  /// Returns the given position, or the next in order.
  package func position(_ column: Int? = nil) -> Int {
    if let column { return column }
    assert(prepared.read < columnCount, "The row of '\(sql)' has \(columnCount) columns alone")
    defer { prepared.read += 1 }
    return Int(prepared.read)
  }

  private func place(_ column: Int?) -> Int32 { Int32(position(column)) }

  @unsafe
  private func rawBytes(_ column: Int) -> UnsafeRawBufferPointer {
    // SQLite gives no pointer for an empty blob. The pointer must be asked for before the length.
    guard let start = unsafe sqlite3_column_blob(prepared.handle, Int32(column)) else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(start: start, count: count(column))
  }
}
