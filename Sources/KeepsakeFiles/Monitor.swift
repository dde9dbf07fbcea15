#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A shared value that threads can wait on until it is as they want it.
///
/// A change is not announced by itself: call ``signal()`` or ``broadcast()`` after it.
@safe
public final class Monitor<Value>: @unchecked Sendable {
  // `@unchecked`: `value` is reached only while `mutex` is held.
  @usableFromInline let mutex: PosixMutex
  private let waiters: UnsafeMutablePointer<pthread_cond_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Shares the value from now on through this object only.
  public init(_ value: sending Value) {
    mutex = PosixMutex()
    unsafe self.value = .allocate(capacity: 1)
    unsafe self.value.initialize(to: value)
    unsafe waiters = .allocate(capacity: 1)
    unsafe waiters.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    PosixMutex.check(unsafe pthread_condattr_init(&attributes), "initialise a condition")
    #if !canImport(Darwin)
      // A deadline must not move when somebody sets the wall clock.
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

  /// Runs the body with the value, while no other thread has it. Wakes nobody.
  @inlinable
  public func withLock<R, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending R
  ) throws(E) -> sending R {
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&value.pointee)
  }

  /// Wakes one waiting thread, which then looks at its condition again.
  public func signal() {
    PosixMutex.check(unsafe pthread_cond_signal(waiters), "signal a condition")
  }

  /// Wakes all waiting threads, which then look at their conditions again.
  public func broadcast() {
    PosixMutex.check(unsafe pthread_cond_broadcast(waiters), "signal a condition")
  }

  /// Waits until the condition gives a value, and returns that, or nil when the deadline passes.
  ///
  /// The condition runs under the lock: at once, after each wake-up, and once more at the deadline;
  /// it may change the value. Without a deadline this waits as long as it takes.
  @inlinable
  public func wait<R>(
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

  /// Sleeps until a signal, the deadline, or for no reason at all.
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
