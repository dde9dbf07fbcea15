import CKeepsakeSQLite

/// One compiled statement: the connection's cache and the ``Statement`` that runs it share it.
///
/// Whoever lets go of it last finalizes it, so a statement that outlives its connection is safe:
/// `sqlite3_close_v2` closes the database when the last of its statements is gone.
@safe
final class PreparedStatement {
  let handle: OpaquePointer
  /// Checked out: a ``Statement`` is using it. A statement in use is never handed out twice.
  var isOut = false
  /// The result of a binding that failed, reported by the next step: the value is not bound then,
  /// and SQLite would store NULL in its place.
  var bindingFailure: Int32 = SQLITE_OK
  /// How many values were bound in order since the statement ran last.
  var bound: Int32 = 0
  /// How many columns of the current row were read in order.
  var read: Int32 = 0
  /// A large value is bound, and its copy would stay in memory while the statement rests.
  var holdsMuch = false
  /// When the statement was last handed out, for the cache of composed statements.
  var lastUse = 0
  /// The statement's own copies of small values, a place for each parameter; made when the first one is bound.
  private var small: UnsafeMutableRawBufferPointer?

  /// Bound values above this size are freed when the statement goes back to the cache.
  static let muchIsAbove = 65_536
  /// Bound values up to this size, such as digests and identifiers, are copied to where the statement has a place for
  /// them: SQLite would ask for memory for each, which takes longer than all else about binding it.
  static let smallIsUpTo = 32

  @unsafe
  init(owning handle: OpaquePointer) {
    unsafe self.handle = unsafe handle
  }

  deinit {
    // The result repeats the error of the last step, which was thrown then.
    _ = unsafe sqlite3_finalize(handle)
    unsafe small?.deallocate()
  }

  /// Copies a small value to its parameter's place, where it stays until another one is bound there; nil for one that
  /// is not small, and where the parameter doesn't exist, or the statement is running and may be reading what it has.
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

  /// Begins with the first placeholder and the first column. A row is read in order to its end, or not at all.
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
    // As above: what reset returns is the last step's error.
    _ = unsafe sqlite3_reset(handle)
    if holdsMuch || bindingFailure != SQLITE_OK {
      _ = unsafe sqlite3_clear_bindings(handle)
      holdsMuch = false
      bindingFailure = SQLITE_OK
    }
    isOut = false
  }
}
