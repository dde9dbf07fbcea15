#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Pleas to this process that one thread waits for, instead of being torn out of its work by them.
///
/// Made by the first thread before there are others: those inherit that these signals don't reach them.
public struct Signals: Sendable {
  private let numbers: [Int32]

  /// Ctrl-C and a plea to end, as far as they are meant for this process: a shell that starts it in the background, or
  /// `nohup`, has it not hear them, which stays so.
  ///
  /// What is written where nobody reads any more is an error of that write from here on, and doesn't end the process.
  public init() {
    signal(SIGPIPE, SIG_IGN)
    numbers = [SIGINT, SIGTERM].filter { !Self.isIgnored($0) }
    var blocked = Self.set(numbers + [SIGALRM])
    PosixMutex.check(unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil), "wait for signals")
  }

  /// Waits for one of them; with a time limit no longer than that.
  public func wait(atMost seconds: UInt32? = nil) {
    var awaited = Self.set(numbers + [SIGALRM])
    // A signal, too, because Darwin can't wait for one with a limit.
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
