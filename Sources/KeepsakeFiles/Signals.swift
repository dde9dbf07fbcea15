#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Signals to this process that one thread waits for, instead of being interrupted by them.
///
/// The first thread creates this value before it starts others, because they inherit that the signals are blocked.
package struct Signals: Sendable {
  private let numbers: [Int32]

  /// Blocks Ctrl-C and the request to end. A signal that is ignored, as under `nohup` or in a shell's background,
  /// stays ignored.
  ///
  /// From here on, writing to a pipe that nobody reads is an error of the write, and does not end the process.
  package init() {
    signal(SIGPIPE, SIG_IGN)
    numbers = [SIGINT, SIGTERM].filter { !Self.isIgnored($0) }
    var blocked = Self.set(numbers + [SIGALRM])
    PosixMutex.check(unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil), "wait for signals")
  }

  /// Waits for one of the signals, or until the time limit.
  /// - Parameter seconds: The time limit in seconds; nil for no limit.
  package func wait(atMost seconds: UInt32? = nil) {
    var awaited = Self.set(numbers + [SIGALRM])
    // The limit is a signal as well, because Darwin can't wait for signals with a limit.
    if let seconds { alarm(seconds) }
    var number: Int32 = 0
    while unsafe sigwait(&awaited, &number) != 0 {}
  }

  private static func set(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    return set
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    unsafe sigaction(number, nil, &action)
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
