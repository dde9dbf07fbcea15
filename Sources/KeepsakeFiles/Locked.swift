#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A value that several threads share, behind a mutex.
///
/// `Synchronization.Mutex` is not used, because on Linux it collapses above four contending threads, and
/// ThreadSanitizer does not understand it. The lock is not recursive: taking it again on the same thread stops the
/// process instead of hanging it.
@safe
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // `@unchecked`: `value` is reached only while `mutex` is held.
  @usableFromInline let mutex: PosixMutex
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Takes the value over, which from now on is shared through this object only.
  package init(_ value: consuming sending Value) {
    mutex = PosixMutex()
    unsafe self.value = .allocate(capacity: 1)
    unsafe self.value.initialize(to: value)
  }

  deinit {
    unsafe value.deinitialize(count: 1)
    unsafe value.deallocate()
  }

  /// Runs the body with the value, while no other thread has the value.
  ///
  /// Blocks while another thread is inside. The body must not wait for anything else.
  ///
  /// This is inlinable, like all functions here that take a body, because otherwise each call goes through generic
  /// code.
  @inlinable
  package func withLock<R: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending R
  ) throws(E) -> sending R {
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&value.pointee)
  }
}
