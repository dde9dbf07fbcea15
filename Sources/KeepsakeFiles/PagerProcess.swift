#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program that shows what it is given a page at a time, on the terminal of this process.
///
/// It is what the person set up, so a shell reads its line. It hears Ctrl-C, as this process does.
public final class PagerProcess: Sendable {
  private let id: pid_t
  /// The end that is written to; nil once all was.
  private let input: Locked<Int32?>

  /// - Parameters:
  ///   - command: The line that starts it.
  ///   - environment: The variables that it sees; no others.
  public init(_ command: String, environment: [String: String]) throws(FileError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw FileError(errno: errno, "Can't start '\(command)'", path: command)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    // It would inherit that we let signals pass, and which we block.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGPIPE] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    let line = ["sh", "-c", command]
    var words = unsafe line.map { unsafe strdup($0) } + [nil]
    var variables =
      unsafe environment.filter { !"\($0)\($1)".utf8.contains(0) }
      .map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer {
      unsafe words.forEach { unsafe free($0) }
      unsafe variables.forEach { unsafe free($0) }
    }
    var id = pid_t()
    let failure = unsafe posix_spawn(&id, "/bin/sh", &actions, &attributes, &words, &variables)
    guard failure == 0 else {
      close(ends[1])
      throw FileError(errno: failure, "Can't start '\(command)'", path: command)
    }
    self.id = id
    input = Locked(ends[1])
  }

  /// Hands it more to show; waits while it has enough.
  public func write(_ bytes: [UInt8]) throws(FileError) {
    guard let input = input.withLock({ $0 }) else { return }
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
        return uninterrupted { unsafe systemWrite(input, rest.baseAddress, rest.count) }
      }
      guard count >= 0 else {
        throw FileError(errno: errno, "Can't write to the pager", path: "pager")
      }
      written += count
    }
  }

  /// Says that this was all, and waits until the person has seen enough.
  public func finish() {
    let open = input.withLock { input in
      defer { input = nil }
      return input
    }
    guard let open else { return }
    close(open)
    var status: Int32 = 0
    _ = uninterrupted { unsafe waitpid(id, &status, 0) }
  }
}

/// The system's `write`, by a name that a method of that name does not hide.
@unsafe
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, bytes, count)
}
