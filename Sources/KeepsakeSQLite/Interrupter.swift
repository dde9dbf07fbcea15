import CKeepsakeSQLite
import KeepsakeFiles

/// Interrupts the running statements of a connection, from any thread; the statement throws an interruption error.
///
/// SQLite rolls back a transaction that was writing. An interrupter does nothing if no statement runs, or the connection is
/// closed.
package struct Interrupter: Sendable {
  private let target: Target

  /// Holds the connection's handle while it is open, because interrupting a closed connection would touch freed memory.
  final class Target: Sendable {
    /// The handle as a number, because threads may not share the pointer itself.
    private let address: Locked<UInt>

    @unsafe
    init(_ handle: OpaquePointer?) {
      address = Locked(UInt(bitPattern: handle))
    }

    func interrupt() {
      address.withLock { address in
        if let handle = unsafe OpaquePointer(bitPattern: address) {
          unsafe sqlite3_interrupt(handle)
        }
      }
    }

    func forget() {
      address.withLock { $0 = 0 }
    }
  }

  init(_ target: Target) {
    self.target = target
  }

  /// Interrupts all statements of the connection that run now.
  package func interrupt() {
    target.interrupt()
  }
}
