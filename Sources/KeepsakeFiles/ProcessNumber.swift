import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The number of this process, which is cached, because the C library asks the system each time and an append needs
/// it thrice.
package enum ProcessNumber {
  private static let number = Atomic(getpid())

  /// Whether a forked child updates the number before its other code runs; false where the system can't arrange that.
  private static let followsForks = {
    _ = number.load(ordering: .relaxed)
    return pthread_atfork(nil, nil) { number.store(getpid(), ordering: .relaxed) } == 0
  }()

  /// The number of this process.
  package static var current: Int32 {
    followsForks ? number.load(ordering: .relaxed) : getpid()
  }
}
