import CKeepsakeSQLite

extension Connection {
  /// How many instructions of SQLite's a statement runs between two looks: a few rows, which may be large.
  private static let stepsBetweenLooks: Int32 = 100

  /// Has the body run, and something else in the midst of its long statements, now and then, on the same thread.
  ///
  /// That must not use the connection, but for ``count(of:)``.
  public func watching<R>(_ look: () -> Void, while body: () throws -> R) rethrows -> R {
    guard unsafe handle != nil else { return try body() }
    return try withoutActuallyEscaping(look) { look in
      let watch = Watch(look)
      _ = unsafe sqlite3_progress_handler(
        handle, Self.stepsBetweenLooks,
        { watch in
          unsafe watch.map { unsafe Unmanaged<Watch>.fromOpaque($0).takeUnretainedValue().look() }
          // Anything else would end the statement.
          return 0
        }, Unmanaged.passUnretained(watch).toOpaque())
      defer {
        _ = unsafe sqlite3_progress_handler(handle, 0, nil, nil)
        withExtendedLifetime(watch) {}
      }
      return try body()
    }
  }

  private final class Watch {
    let look: () -> Void
    init(_ look: @escaping () -> Void) { self.look = look }
  }
}
