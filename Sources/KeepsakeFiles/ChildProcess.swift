#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Another program that runs by itself: started with a list of arguments, so that no shell reads them.
public struct ChildProcess: Sendable {
  /// The number by which the system knows it.
  public let id: Int32

  /// Starts a program that reads nothing, and of which nobody sees what it prints. Ctrl-C does not reach it.
  /// - Parameters:
  ///   - path: The program's file.
  ///   - arguments: What it is given, its own name left out.
  ///   - environment: The variables that it sees; no others.
  public init(
    starting path: String, _ arguments: [String], environment: [String: String]
  ) throws(FileError) {
    for text in [path] + arguments { try checkPath(text.isEmpty ? "-" : text) }
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
    for descriptor in Int32(0)...2 {
      unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // It would inherit that we let signals pass, and which we block.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGPIPE] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP))
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var variables =
      unsafe environment.filter { !"\($0)\($1)".utf8.contains(0) }
      .map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer {
      unsafe words.forEach { unsafe free($0) }
      unsafe variables.forEach { unsafe free($0) }
    }
    var id = pid_t()
    let failure = unsafe posix_spawn(&id, path, &actions, &attributes, &words, &variables)
    guard failure == 0 else {
      throw FileError(errno: failure, "Can't start '\(path)'", path: path)
    }
    self.id = id
  }

  /// How it ended: its code, 128 and the number of a signal, or nil while it runs. Only once, once it has ended.
  public func exitCode() -> Int32? {
    var status: Int32 = 0
    let ended = uninterrupted { unsafe waitpid(id, &status, WNOHANG) }
    guard ended == id else { return ended == 0 ? nil : 0 }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// The file of a program that is looked for in folders, as a shell does; nil where there is none.
  /// - Parameters:
  ///   - name: The program.
  ///   - folders: As `PATH` has them, parted by colons.
  public static func find(_ name: String, in folders: String) -> String? {
    folders.split(separator: ":").lazy.map { "\($0)/\(name)" }
      .first { unsafe $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }
}
