import CKeepsakeSQLite
import KeepsakeFiles

/// Stops what a connection is running, from any thread; the statement throws an interruption.
///
/// A transaction that was writing is rolled back. When nothing runs, or the connection is closed,
/// it does nothing.
public struct Interrupter: Sendable {
  private let target: Target

  /// The connection's handle while it is open: interrupting a closed one would touch freed memory.
  final class Target: Sendable {
    /// As a number, because the pointer itself is nothing that threads may share.
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

  /// Stops the statement that is running now.
  public func interrupt() {
    target.interrupt()
  }
}
