#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Starts another program, with given standard streams, inside or outside of the group that Ctrl-C reaches.
struct Spawn {
  /// The replacement of one of the program's descriptors.
  enum Stream {
    /// A descriptor of this process.
    case descriptor(Int32)
    /// An empty input, or an output that is thrown away.
    case nothing
  }

  /// The replaced streams by the program's descriptor. The other streams are this process's own.
  var streams: [Int32: Stream]
  /// Whether the program gets a process group of its own, which Ctrl-C does not reach.
  var isOwnGroup: Bool

  /// Starts a program.
  /// - Parameters:
  ///   - path: The path of the program's file.
  ///   - words: The arguments, with the program's name first.
  ///   - environment: The program's whole environment.
  ///   - name: The program's name in an error.
  /// - Returns: The process number of the program.
  /// - Throws: `FileError`, when the program can't be started.
  func callAsFunction(
    _ path: String, _ words: [String], environment: [String: String], as name: String
  ) throws(FileError) -> pid_t {
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
    for (number, stream) in streams {
      switch stream {
      case .descriptor(let mine):
        unsafe posix_spawn_file_actions_adddup2(&actions, mine, number)
      case .nothing:
        unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      }
    }
    // Otherwise the program would inherit the signals that this process ignores and blocks.
    var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGPIPE] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    if isOwnGroup {
      unsafe posix_spawnattr_setpgroup(&attributes, 0)
      flags |= Int16(POSIX_SPAWN_SETPGROUP)
    }
    unsafe posix_spawnattr_setflags(&attributes, flags)
    var words = unsafe words.map { unsafe strdup($0) } + [nil]
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
      throw FileError(errno: failure, "Can't start '\(name)'", path: name)
    }
    return id
  }
}
