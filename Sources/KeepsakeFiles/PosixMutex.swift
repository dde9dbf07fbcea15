#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A mutex of the system at an address that does not change, which `pthread` requires.
///
/// It checks errors: locking it twice on one thread is a programming error, and stops the process.
@safe @usableFromInline
struct PosixMutex: ~Copyable {
  let handle: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe handle = .allocate(capacity: 1)
    unsafe handle.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    Self.check(unsafe pthread_mutexattr_init(&attributes), "initialise a mutex")
    Self.check(
      unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK)),
      "initialise a mutex")
    Self.check(unsafe pthread_mutex_init(handle, &attributes), "initialise a mutex")
    _ = unsafe pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    Self.check(unsafe pthread_mutex_destroy(handle), "destroy a mutex")
    unsafe handle.deallocate()
  }

  @usableFromInline
  borrowing func lock() {
    Self.check(unsafe pthread_mutex_lock(handle), "take a lock twice on one thread")
  }

  @usableFromInline
  borrowing func unlock() {
    Self.check(unsafe pthread_mutex_unlock(handle), "release a lock of another thread")
  }

  @inline(__always)
  static func check(_ code: Int32, _ action: StaticString) {
    if code != 0 { Self.stop(code, action) }
  }

  @inline(never)
  private static func stop(_ code: Int32, _ action: StaticString) -> Never {
    fatalError("Can't \(action): error \(code) of the thread library.")
  }
}
