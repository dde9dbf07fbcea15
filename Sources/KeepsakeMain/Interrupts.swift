#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import KeepsakeFiles

/// Ctrl-C and a plea to end: the first one stops the work in good order, the second one ends the process at once.
struct Interrupts: Sendable {
  /// As shells have it of a process that was interrupted.
  static let code: Int32 = 130

  /// How many seconds the work may take to stop; it may wait for input that never comes.
  private static let patience: UInt32 = 1

  private let signals = Signals()
  private let come = Locked(false)

  private let isPaging = Locked(false)

  /// Says whether a pager has the terminal: it takes Ctrl-C for itself, and is not left behind.
  func paging(_ begins: Bool) { isPaging.withLock { $0 = begins } }

  var hasCome: Bool { come.withLock { $0 } }

  /// Stops the work when one comes. It doesn't return: the work ends the process when it is done.
  func handle(stopping stop: () -> Void) -> Never {
    signals.wait()
    come.withLock { $0 = true }
    stop()
    repeat { signals.wait(atMost: Self.patience) } while isPaging.withLock { $0 }
    _exit(Self.code)
  }
}
