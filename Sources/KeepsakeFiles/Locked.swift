#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A value that several threads share, behind a mutex.
///
/// Not `Synchronization.Mutex`: on Linux that one collapses above four contending threads, and
/// ThreadSanitizer does not understand it. The lock is not recursive: taking it again on the same
/// thread stops the process rather than hanging it.
@safe
public final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // `@unchecked`: `value` is reached only while `mutex` is held.
  @usableFromInline let mutex: PosixMutex
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Shares the value from now on through this object only.
  public init(_ value: consuming sending Value) {
    mutex = PosixMutex()
    unsafe self.value = .allocate(capacity: 1)
    unsafe self.value.initialize(to: value)
  }

  deinit {
    unsafe value.deinitialize(count: 1)
    unsafe value.deallocate()
  }

  /// Runs the body with the value, while no other thread has it.
  ///
  /// Blocks while another thread is inside. Never wait for anything else in the body.
  ///
  /// Inlinable, as all here that takes a body: otherwise each use goes through the tables of its types.
  @inlinable
  public func withLock<R: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending R
  ) throws(E) -> sending R {
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&value.pointee)
  }
}
