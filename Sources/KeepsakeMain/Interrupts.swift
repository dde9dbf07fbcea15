#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Dispatch
import Files

/// Ctrl-C and a plea to end: the first one stops the work in good order, the second one ends the process at once. What is
/// written where nobody reads any more ends the work, and not the process.
struct Interrupts {
  /// As shells have it of a process that was interrupted.
  static let code: Int32 = 130

  /// How long the work may take to stop; it may wait for input that never comes.
  private static let patience = DispatchTimeInterval.seconds(1)

  private let count: Locked<Int>
  private let sources: [any DispatchSourceSignal]

  var hasCome: Bool { count.withLock { $0 > 0 } }

  init(stop: @escaping @Sendable () -> Void) {
    let count = Locked(0)
    self.count = count
    // A reader that has seen enough is told by the write, so that the work ends in good order then too.
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "interrupts")
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        let now = count.withLock { count in
          count += 1
          return count
        }
        if now > 1 { _exit(Self.code) }
        stop()
        queue.asyncAfter(deadline: .now() + Self.patience) { _exit(Self.code) }
      }
      source.activate()
      return source
    }
  }
}
