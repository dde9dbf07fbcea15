import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The number of this process, kept: the C library asks the system each time, which a small append would do thrice.
public enum ProcessNumber {
  private static let number = Atomic(getpid())

  /// Has a child learn its own number before anything else of it runs; false where that can't be had.
  private static let followsForks = {
    _ = number.load(ordering: .relaxed)
    return pthread_atfork(nil, nil) { number.store(getpid(), ordering: .relaxed) } == 0
  }()

  public static var current: Int32 {
    followsForks ? number.load(ordering: .relaxed) : getpid()
  }
}
