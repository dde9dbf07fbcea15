import CKeepsakeSQLite

/// The columns of the current row. They are read in their order: each call reads the next one, and each row begins with
/// the first. A position, which counts from 0, names a column out of that order. A column that doesn't exist reads as NULL.
extension Statement {
  /// An integer; NULL reads as 0.
  public func int64(_ column: Int? = nil) -> Int64 {
    unsafe sqlite3_column_int64(prepared.handle, place(column))
  }

  /// An integer; NULL reads as 0.
  public func int(_ column: Int? = nil) -> Int {
    Int(truncatingIfNeeded: int64(column))
  }

  /// An integer, or nil for NULL.
  public func optionalInt64(_ column: Int? = nil) -> Int64? {
    let column = position(column)
    return isNull(column) ? nil : int64(column)
  }

  /// An integer, or nil for NULL.
  public func optionalInt(_ column: Int? = nil) -> Int? {
    let column = position(column)
    return isNull(column) ? nil : int(column)
  }

  /// A floating-point number; NULL reads as 0.
  public func double(_ column: Int? = nil) -> Double {
    unsafe sqlite3_column_double(prepared.handle, place(column))
  }

  /// A floating-point number, or nil for NULL.
  public func optionalDouble(_ column: Int? = nil) -> Double? {
    let column = position(column)
    return isNull(column) ? nil : double(column)
  }

  /// A truth value: anything but 0 and NULL is true.
  public func bool(_ column: Int? = nil) -> Bool {
    int64(column) != 0
  }

  /// Text; NULL reads as the empty string. Bytes that are not UTF-8 read as U+FFFD.
  public func text(_ column: Int? = nil) -> String {
    optionalText(column) ?? ""
  }

  /// Text, or nil for NULL.
  public func optionalText(_ column: Int? = nil) -> String? {
    let column = position(column)
    // SQLite asks for this order: the pointer first, its length second.
    guard let start = unsafe sqlite3_column_text(prepared.handle, Int32(column)) else { return nil }
    let utf8 = unsafe UnsafeBufferPointer(start: start, count: count(column))
    return unsafe String(decoding: utf8, as: UTF8.self)
  }

  /// Bytes; NULL reads as none.
  public func bytes(_ column: Int? = nil) -> [UInt8] {
    unsafe [UInt8](rawBytes(position(column)))
  }

  /// Bytes, or nil for NULL.
  public func optionalBytes(_ column: Int? = nil) -> [UInt8]? {
    let column = position(column)
    return isNull(column) ? nil : bytes(column)
  }

  /// The bytes of a blob or of a text's UTF-8 where SQLite has them, without a copy.
  ///
  /// They are there until the statement steps, is reset, or the same column is read as another type.
  @_lifetime(borrow self)
  public func span(_ column: Int? = nil) -> RawSpan {
    let span = unsafe RawSpan(_unsafeBytes: rawBytes(position(column)))
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

  /// The column that is read: the one that is named, or the next.
  public func position(_ column: Int? = nil) -> Int {
    if let column { return column }
    assert(prepared.read < columnCount, "The row of '\(sql)' has \(columnCount) columns alone")
    defer { prepared.read += 1 }
    return Int(prepared.read)
  }

  private func place(_ column: Int?) -> Int32 { Int32(position(column)) }

  @unsafe
  private func rawBytes(_ column: Int) -> UnsafeRawBufferPointer {
    // SQLite gives no pointer for an empty blob. The pointer comes first, its length second.
    guard let start = unsafe sqlite3_column_blob(prepared.handle, Int32(column)) else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(start: start, count: count(column))
  }
}
