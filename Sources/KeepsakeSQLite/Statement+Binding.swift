import CKeepsakeSQLite

/// Binding of values, in the order of the placeholders: each call binds the next one, and each run starts with the first.
///
/// An index, which counts from 1, names a placeholder out of order.
extension Statement {
  /// The types in which SQLite stores bound bytes.
  package enum Storage: Sendable {
    /// The bytes are stored as a blob.
    case blob
    /// The bytes are stored as text, and must be well-formed UTF-8, which is not checked.
    case text
  }

  /// Binds an integer.
  package func bind(_ value: Int64, at index: Int? = nil) {
    let index = place(index)
    check(unsafe sqlite3_bind_int64(prepared.handle, index, value), at: index)
  }

  /// Binds an integer.
  package func bind(_ value: Int, at index: Int? = nil) {
    bind(Int64(value), at: index)
  }

  /// Binds an integer, or NULL.
  package func bind(_ value: Int64?, at index: Int? = nil) {
    guard let value else { return bindNull(at: index) }
    bind(value, at: index)
  }

  /// Binds an integer, or NULL.
  package func bind(_ value: Int?, at index: Int? = nil) {
    guard let value else { return bindNull(at: index) }
    bind(Int64(value), at: index)
  }

  /// Binds a truth value as 1 or 0.
  package func bind(_ value: Bool, at index: Int? = nil) {
    bind(value ? 1 : 0 as Int64, at: index)
  }

  /// Binds a floating-point number, or NULL; SQLite stores a NaN as NULL.
  package func bind(_ value: Double?, at index: Int? = nil) {
    guard let value else { return bindNull(at: index) }
    let index = place(index)
    check(unsafe sqlite3_bind_double(prepared.handle, index, value), at: index)
  }

  /// Binds text, by length: a NUL inside it is kept.
  package func bind(_ value: String, at index: Int? = nil) {
    var value = value
    value.withUTF8 { utf8 in
      unsafe bind(UnsafeRawBufferPointer(utf8), at: index, as: .text, copied: true)
    }
  }

  /// Binds text, or NULL.
  package func bind(_ value: String?, at index: Int? = nil) {
    guard let value else { return bindNull(at: index) }
    bind(value, at: index)
  }

  /// Binds bytes, which SQLite copies; ``run(binding:at:as:)-([UInt8],_,_)`` binds without a copy.
  package func bind(_ value: [UInt8], at index: Int? = nil, as storage: Storage = .blob) {
    unsafe bind(value.span.bytes, at: index, as: storage)
  }

  /// Binds bytes, which SQLite copies, or NULL.
  package func bind(_ value: [UInt8]?, at index: Int? = nil, as storage: Storage = .blob) {
    guard let value else { return bindNull(at: index) }
    bind(value, at: index, as: storage)
  }

  /// Binds the bytes of a span, which SQLite copies.
  package func bind(_ span: RawSpan, at index: Int? = nil, as storage: Storage = .blob) {
    unsafe span.withUnsafeBytes { bytes in
      unsafe bind(bytes, at: index, as: storage, copied: true)
    }
  }

  /// Binds NULL.
  package func bindNull(at index: Int? = nil) {
    let index = place(index)
    check(unsafe sqlite3_bind_null(prepared.handle, index), at: index)
  }

  /// Binds bytes; bytes that are not copied must stay in place until the next binding.
  @unsafe
  func bind(
    _ bytes: UnsafeRawBufferPointer, at index: Int?, as storage: Storage, copied: Bool
  ) {
    let index = place(index)
    let count = UInt64(bytes.count)
    let kept = unsafe copied ? prepared.keep(bytes, at: Int(index)) : nil
    let start = unsafe kept ?? bytes.baseAddress
    let isSQLitesOwn: Int32 = unsafe copied && kept == nil ? 1 : 0
    let code =
      switch storage {
      case .text:
        unsafe keepsake_sqlite3_bind_text(
          prepared.handle, index, start, count, isSQLitesOwn)
      case .blob:
        unsafe keepsake_sqlite3_bind_blob(
          prepared.handle, index, start, count, isSQLitesOwn)
      }
    check(code, at: index)
    if copied, bytes.count > PreparedStatement.muchIsAbove { prepared.holdsMuch = true }
  }

  /// Returns the given placeholder, or the next in order.
  private func place(_ index: Int?) -> Int32 {
    if let index { return Int32(index) }
    prepared.bound += 1
    return prepared.bound
  }

  /// Keeps a failed binding for the next step to throw.
  ///
  /// Only a value that is too large and a lack of memory can be the fault of the data; any other failure is a mistake in the
  /// program.
  private func check(_ code: Int32, at index: Int32) {
    if code != SQLITE_OK { bindingFailed(code, at: index) }
  }

  @inline(never)
  private func bindingFailed(_ code: Int32, at index: Int32) {
    let primary = code & 0xff
    assert(
      primary == SQLITE_TOOBIG || primary == SQLITE_NOMEM,
      "Parameter \(index) of '\(sql)' can't be bound (SQLite \(code)): "
        + "it doesn't exist, or the statement is running and was not reset")
    prepared.bindingFailure = code
  }
}
