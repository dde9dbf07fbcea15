import CKeepsakeSQLite

/// A compiled statement, which the connection's cache and the ``Statement`` that runs it share.
///
/// The last reference finalizes it. A statement may outlive its connection, because `sqlite3_close_v2` closes the database when
/// the last statement is gone.
@safe
final class PreparedStatement {
  let handle: OpaquePointer
  /// Whether a ``Statement`` is using it. The cache never hands out a statement that is in use.
  var isOut = false
  /// The result of a binding that failed, which the next step throws, because SQLite would store NULL in place of the value.
  var bindingFailure: Int32 = SQLITE_OK
  /// How many values were bound in order since the last run.
  var bound: Int32 = 0
  /// How many columns of the current row were read in order.
  var read: Int32 = 0
  /// Whether a large value is bound, whose copy would stay in memory while the statement is in the cache.
  var holdsMuch = false
  /// The cache's count of uses when this statement was handed out last, for composed statements.
  var lastUse = 0
  /// The statement's own copies of small values, with a place for each parameter; allocated at the first such binding.
  private var small: UnsafeMutableRawBufferPointer?

  /// The size above which bound values are freed when the statement goes back to the cache.
  static let muchIsAbove = 65_536
  /// The size up to which bound values, such as digests and identifiers, are copied into the statement's own memory.
  ///
  /// SQLite would allocate memory for each of these values, which takes longer than the rest of the binding.
  static let smallIsUpTo = 32

  @unsafe
  init(owning handle: OpaquePointer) {
    unsafe self.handle = unsafe handle
  }

  deinit {
    // The result repeats the error of the last step, which was thrown already.
    _ = unsafe sqlite3_finalize(handle)
    unsafe small?.deallocate()
  }

  /// Copies a small value to the place of its parameter, where it stays until the next binding of the parameter.
  ///
  /// Nil for a value that is empty or too large, for a parameter that doesn't exist, and while the statement runs and may read
  /// its values.
  @unsafe
  func keep(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UnsafeRawPointer? {
    guard 1...Self.smallIsUpTo ~= bytes.count, unsafe sqlite3_stmt_busy(handle) == 0 else {
      return nil
    }
    if unsafe small == nil {
      let count = unsafe Int(sqlite3_bind_parameter_count(handle))
      unsafe small = .allocate(byteCount: count * Self.smallIsUpTo, alignment: 8)
    }
    let start = (index - 1) * Self.smallIsUpTo
    guard let small = unsafe small, index > 0, start < small.count else { return nil }
    let place = unsafe UnsafeMutableRawBufferPointer(rebasing: small[start...])
    unsafe place.copyMemory(from: bytes)
    return UnsafeRawPointer(place.baseAddress)
  }

  /// Restarts the counts of values bound in order and columns read in order. A debug build checks that all values were bound.
  func beginAgain() {
    assert(
      unsafe bound == 0 || bound == sqlite3_bind_parameter_count(handle),
      "\(bound) values were bound in order, not as many as this has parameters: \(unsafe String(cString: sqlite3_sql(handle)))"
    )
    bound = 0
    read = 0
  }

  func giveBack() {
    bound = 0
    read = 0
    // The result repeats the error of the last step, which was thrown already.
    _ = unsafe sqlite3_reset(handle)
    if holdsMuch || bindingFailure != SQLITE_OK {
      _ = unsafe sqlite3_clear_bindings(handle)
      holdsMuch = false
      bindingFailure = SQLITE_OK
    }
    isOut = false
  }
}
