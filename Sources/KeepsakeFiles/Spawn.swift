#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How another program is started: what it has as its standard streams, and whether Ctrl-C reaches it.
struct Spawn {
  /// What the program has in the place of one of its descriptors.
  enum Stream {
    /// A descriptor of this process.
    case descriptor(Int32)
    /// Nothing to read, and nobody who sees what is written.
    case nothing
  }

  /// By the program's descriptor; the others are this process's own.
  var streams: [Int32: Stream]
  /// Whether it is a group of its own, which Ctrl-C does not reach.
  var isOwnGroup: Bool

  /// Starts a program.
  /// - Parameters:
  ///   - path: Its file.
  ///   - words: What it is given, its own name first.
  ///   - environment: The variables that it sees; no others.
  ///   - name: What an error calls it.
  /// - Returns: The number by which the system knows it.
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
    // It would inherit that we let signals pass, and which we block.
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
