#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A thread for work that blocks, outside of Swift's cooperative pool.
///
/// It receives none of the app's signals, because a library must not run the app's handlers. Signals for the thread's
/// own faults are not blocked, so that a crash is still reported.
package final class WorkerThread: Sendable {
  private let state: Locked<State>

  @safe
  private struct State {
    let thread: pthread_t
    var joined = false
  }

  /// The data that the new thread takes over and releases.
  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts a thread that runs the body, and stops the process if the system can't make one.
  ///
  /// Use ``init(starting:_:)`` where the work can be done without the thread.
  package convenience init(name: String, _ body: @escaping @Sendable () -> Void) {
    do {
      try self.init(starting: name, body)
    } catch {
      fatalError(error.description)
    }
  }

  /// Starts a thread that runs the body; throws if the system can't make one.
  package init(starting name: String, _ body: @escaping @Sendable () -> Void) throws(FileError) {
    var attributes = pthread_attr_t()
    PosixMutex.check(unsafe pthread_attr_init(&attributes), "initialise a thread")
    defer { unsafe pthread_attr_destroy(&attributes) }
    // 512 KiB, the default of threads on Darwin, is too small for SQLite's full-text search.
    PosixMutex.check(unsafe pthread_attr_setstacksize(&attributes, 1 << 20), "size a thread")

    // A thread inherits its maker's signal mask, so no signal can arrive before the thread sets its own.
    var blocked = sigset_t()
    var previous = sigset_t()
    unsafe sigfillset(&blocked)
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
      unsafe sigdelset(&blocked, signal)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &blocked, &previous)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }

    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let code = unsafe pthread_create(&thread, &attributes, Self.main, start.toOpaque())
    guard code == 0 else {
      unsafe start.release()
      throw FileError(errno: code, "Can't start the thread '\(name)'", path: "")
    }
    #if canImport(Glibc)
      state = Locked(State(thread: thread))
    #else
      guard let thread = unsafe thread else { fatalError("A thread was made without a handle.") }
      state = Locked(unsafe State(thread: thread))
    #endif
  }

  deinit {
    state.withLock { state in
      guard !state.joined else { return }
      #if canImport(Glibc)
        pthread_detach(state.thread)
      #else
        unsafe pthread_detach(state.thread)
      #endif
    }
  }

  /// Waits until the body has returned. Several threads may call this, also repeatedly.
  package func join() {
    state.withLock { state in
      guard !state.joined else { return }
      // The wait under the lock is intended: a thread can be joined only once, and all other callers wait as well.
      var result: UnsafeMutableRawPointer?
      PosixMutex.check(unsafe pthread_join(state.thread, &result), "wait for a thread")
      state.joined = true
    }
  }

  #if canImport(Darwin)
    private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? =
      { unsafe WorkerThread.run($0) }
  #else
    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
      { unsafe WorkerThread.run($0) }
  #endif

  private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    setName(start.name)
    start.body()
    return nil
  }

  /// Names the current thread for debuggers. A failure has no consequences.
  private static func setName(_ name: String) {
    #if canImport(Darwin)
      unsafe pthread_setname_np(name)
    #else
      // The function for this is hidden from Swift here. The kernel keeps 15 bytes of the name.
      let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      defer { close(file) }
      let bytes = Array(name.utf8.prefix(15))
      _ = unsafe write(file, bytes, bytes.count)
    #endif
  }
}
