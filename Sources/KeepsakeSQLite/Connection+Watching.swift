import CKeepsakeSQLite

extension Connection {
  /// How many instructions of SQLite's virtual machine run between two calls of the closure, which is a few rows.
  private static let stepsBetweenLooks: Int32 = 100

  /// Runs the body, and calls a closure on the same thread again and again during the body's long statements.
  ///
  /// The closure must not use the connection, except for ``count(of:)``.
  /// - Parameters:
  ///   - look: The closure, called after every 100 instructions of SQLite's virtual machine.
  ///   - body: The work on the connection.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body.
  package func watching<R>(_ look: () -> Void, while body: () throws -> R) rethrows -> R {
    guard unsafe handle != nil else { return try body() }
    return try withoutActuallyEscaping(look) { look in
      let watch = Watch(look)
      _ = unsafe sqlite3_progress_handler(
        handle, Self.stepsBetweenLooks,
        { watch in
          unsafe watch.map { unsafe Unmanaged<Watch>.fromOpaque($0).takeUnretainedValue().look() }
          // A result other than 0 would interrupt the statement.
          return 0
        }, Unmanaged.passUnretained(watch).toOpaque())
      defer {
        _ = unsafe sqlite3_progress_handler(handle, 0, nil, nil)
        withExtendedLifetime(watch) {}
      }
      return try body()
    }
  }

  /// Holds the closure, so that SQLite can pass it on as a pointer.
  private final class Watch {
    let look: () -> Void
    init(_ look: @escaping () -> Void) { self.look = look }
  }
}
