import Files
import SQLite

/// Which rows' bytes were compared with bytes that came in, so that they need not be read each time.
///
/// A row is trusted while no other connection has committed to the database, which is the only way in which its bytes
/// can change other than by the disk's own failing.
final class CheckedRows: Sendable {
  private struct State {
    /// SQLite's `data_version` of the writer's connection.
    var version: Int64 = 0
    var numbers: Set<Int64> = []
  }

  private let state = Locked(State())

  /// Whether a row was checked, and nobody has changed anything since. For the writer's connection alone.
  func contains(_ number: Int64, in db: Connection) throws -> Bool {
    let version = try db.dataVersion()
    return state.withLock { state in
      if state.version != version { state = State(version: version) }
      return state.numbers.contains(number)
    }
  }

  /// Notes that a row is right. ``contains(_:in:)`` was asked in the same transaction.
  func insert(_ number: Int64) { state.withLock { _ = $0.numbers.insert(number) } }

  /// Notes that a reader found it to be wrong.
  func forget(_ number: Int64) { state.withLock { _ = $0.numbers.remove(number) } }
}
