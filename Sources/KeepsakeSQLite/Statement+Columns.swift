import CKeepsakeSQLite

/// The columns of the current row. They are read by position, which is counted from 0; a column
/// that doesn't exist reads as NULL.
extension Statement {
  /// An integer; NULL reads as 0.
  public func int64(_ column: Int) -> Int64 {
    unsafe sqlite3_column_int64(prepared.handle, Int32(column))
  }

  /// An integer; NULL reads as 0.
  public func int(_ column: Int) -> Int {
    Int(truncatingIfNeeded: int64(column))
  }

  /// An integer, or nil for NULL.
  public func optionalInt64(_ column: Int) -> Int64? {
    isNull(column) ? nil : int64(column)
  }

  /// An integer, or nil for NULL.
  public func optionalInt(_ column: Int) -> Int? {
    isNull(column) ? nil : int(column)
  }

  /// A floating-point number; NULL reads as 0.
  public func double(_ column: Int) -> Double {
    unsafe sqlite3_column_double(prepared.handle, Int32(column))
  }

  /// A floating-point number, or nil for NULL.
  public func optionalDouble(_ column: Int) -> Double? {
    isNull(column) ? nil : double(column)
  }

  /// A truth value: anything but 0 and NULL is true.
  public func bool(_ column: Int) -> Bool {
    int64(column) != 0
  }

  /// Text; NULL reads as the empty string. Bytes that are not UTF-8 read as U+FFFD.
  public func text(_ column: Int) -> String {
    optionalText(column) ?? ""
  }

  /// Text, or nil for NULL.
  public func optionalText(_ column: Int) -> String? {
    // SQLite asks for this order: the pointer first, its length second.
    guard let start = unsafe sqlite3_column_text(prepared.handle, Int32(column)) else { return nil }
    let utf8 = unsafe UnsafeBufferPointer(start: start, count: count(column))
    return unsafe String(decoding: utf8, as: UTF8.self)
  }

  /// Bytes; NULL reads as none.
  public func bytes(_ column: Int) -> [UInt8] {
    unsafe [UInt8](rawBytes(column))
  }

  /// Bytes, or nil for NULL.
  public func optionalBytes(_ column: Int) -> [UInt8]? {
    isNull(column) ? nil : bytes(column)
  }

  /// The bytes of a blob or of a text's UTF-8 where SQLite has them, without a copy.
  ///
  /// They are there until the statement steps, is reset, or the same column is read as another type.
  @_lifetime(borrow self)
  public func span(_ column: Int) -> RawSpan {
    let span = unsafe RawSpan(_unsafeBytes: rawBytes(column))
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// How SQLite stores a value.
  public enum Kind: Sendable {
    case null, integer, real, text, blob
  }

  /// How the value of a column is stored, as long as it was not read as something else.
  public func kind(_ column: Int) -> Kind {
    switch unsafe sqlite3_column_type(prepared.handle, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Whether the column is NULL.
  public func isNull(_ column: Int) -> Bool {
    unsafe sqlite3_column_type(prepared.handle, Int32(column)) == SQLITE_NULL
  }

  /// What the result calls the column: its name, or its expression.
  public func name(_ column: Int) -> String {
    unsafe sqlite3_column_name(prepared.handle, Int32(column)).map {
      unsafe String(cString: $0)
    } ?? ""
  }

  /// The length in bytes of a blob, or of a text's UTF-8.
  public func count(_ column: Int) -> Int {
    unsafe Int(sqlite3_column_bytes(prepared.handle, Int32(column)))
  }

  @unsafe
  private func rawBytes(_ column: Int) -> UnsafeRawBufferPointer {
    // SQLite gives no pointer for an empty blob. The pointer comes first, its length second.
    guard let start = unsafe sqlite3_column_blob(prepared.handle, Int32(column)) else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(start: start, count: count(column))
  }
}
