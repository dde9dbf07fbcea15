#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A value that threads share, and can wait on until it fulfils a condition.
///
/// A change is not announced automatically: call ``signal()`` or ``broadcast()`` after it.
@safe
package final class Monitor<Value>: @unchecked Sendable {
  // `@unchecked`: `value` is reached only while `mutex` is held.
  @usableFromInline let mutex: PosixMutex
  private let waiters: UnsafeMutablePointer<pthread_cond_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Takes the value over, which from now on is shared through this object only.
  package init(_ value: sending Value) {
    mutex = PosixMutex()
    unsafe self.value = .allocate(capacity: 1)
    unsafe self.value.initialize(to: value)
    unsafe waiters = .allocate(capacity: 1)
    unsafe waiters.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    PosixMutex.check(unsafe pthread_condattr_init(&attributes), "initialise a condition")
    #if !canImport(Darwin)
      // A deadline must not move when the wall clock is set.
      PosixMutex.check(
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC), "initialise a condition")
    #endif
    PosixMutex.check(unsafe pthread_cond_init(waiters, &attributes), "initialise a condition")
    _ = unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    PosixMutex.check(unsafe pthread_cond_destroy(waiters), "destroy a condition")
    unsafe waiters.deallocate()
    unsafe value.deinitialize(count: 1)
    unsafe value.deallocate()
  }

  /// Runs the body with the value, while no other thread has the value. No waiting thread is woken.
  @inlinable
  package func withLock<R, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending R
  ) throws(E) -> sending R {
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&value.pointee)
  }

  /// Wakes one waiting thread, which then evaluates its condition again.
  package func signal() {
    PosixMutex.check(unsafe pthread_cond_signal(waiters), "signal a condition")
  }

  /// Wakes all waiting threads, which then evaluate their conditions again.
  package func broadcast() {
    PosixMutex.check(unsafe pthread_cond_broadcast(waiters), "signal a condition")
  }

  /// Waits until the condition returns a value, and returns that value, or nil when the deadline passes.
  ///
  /// The condition runs under the lock: at once, after each wake-up, and once more at the deadline. It may change the
  /// value. Without a deadline the wait is unlimited.
  @inlinable
  package func wait<R>(
    until deadline: Instant? = nil, for condition: (inout sending Value) -> sending R?
  ) -> sending R? {
    mutex.lock()
    defer { mutex.unlock() }
    while true {
      let expired = deadline.map { $0 <= Instant.now } ?? false
      if let result = unsafe condition(&value.pointee) { return result }
      if expired { return nil }
      sleep(until: deadline)
    }
  }

  /// Sleeps until a signal or the deadline; it may also wake up without a reason.
  @usableFromInline
  func sleep(until deadline: Instant?) {
    guard let deadline else {
      PosixMutex.check(unsafe pthread_cond_wait(waiters, mutex.handle), "wait for a condition")
      return
    }
    #if canImport(Darwin)
      let left = max(0, deadline.nanoseconds - Instant.now.nanoseconds)
      var time = timespec(nanoseconds: left)
      let code = unsafe pthread_cond_timedwait_relative_np(waiters, mutex.handle, &time)
    #else
      var time = timespec(nanoseconds: deadline.nanoseconds)
      let code = unsafe pthread_cond_timedwait(waiters, mutex.handle, &time)
    #endif
    if code != ETIMEDOUT { PosixMutex.check(code, "wait for a condition") }
  }
}
