#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Dispatch
import Files

/// Ctrl-C and a plea to end: the first one stops the work in good order, the second one ends the process at once.
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
