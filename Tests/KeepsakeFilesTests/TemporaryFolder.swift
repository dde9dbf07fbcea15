import KeepsakeFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder of its own for a test, removed with all that is in it when the test lets go of it.
final class TemporaryFolder: Sendable {
  let path: String
  /// Its own name in the system's temporary folder.
  let name: String
  let directory: Directory

  /// The system's folder for temporary files, without a slash at its end.
  static let root: String = {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return named.hasSuffix("/") ? String(named.dropLast()) : named
  }()

  init() throws {
    name = "keepsake-files-\(UInt64.random(in: 0 ... .max))"
    let path = "\(Self.root)/\(name)"
    directory = try Directory.create(path: path)
    self.path = path
  }

  deinit {
    _ = try? directory.removeAll()
    rmdir(path)
  }

  /// The path of something in the folder.
  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and returns its path.
  @discardableResult
  func write(_ name: String, _ contents: [UInt8]) throws -> String {
    let file = try directory.openFile(name, for: .creating(exclusive: false))
    try file.write(all: contents)
    return path(name)
  }

  func read(_ name: String) throws -> [UInt8] {
    try directory.openFile(name).readAll(limit: 1 << 30)
  }

  func link(_ name: String, to target: String) {
    precondition(symlink(target, path(name)) == 0)
  }

  func pipe(_ name: String) {
    precondition(mkfifo(path(name), 0o600) == 0)
  }
}

/// The error that the body throws; nil if it throws none.
func fileError(_ body: () throws(FileError) -> Void) -> FileError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Runs a program and waits for it; returns its exit code and what it printed.
func run(_ arguments: [String], output: String) throws -> (code: Int32, text: String) {
  let child = try Child(arguments, output: output)
  let code = child.wait()
  let text = try FileDescriptor(opening: output).readAll(limit: 1 << 20)
  return (code, String(decoding: text, as: UTF8.self))
}

/// A program that runs beside the test.
struct Child {
  let process: pid_t

  init(_ arguments: [String], output: String) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var environment = [strdup("PATH=/usr/bin:/bin"), nil]
    defer { free(environment[0]) }
    var process = pid_t()
    let code = posix_spawn(&process, arguments[0], &actions, nil, &pointers, &environment)
    guard code == 0 else {
      throw FileError(
        code: .io, message: "Can't run \(arguments[0]): \(code)", path: arguments[0], errno: code)
    }
    self.process = process
  }

  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
  }

  func end() {
    kill(process, SIGKILL)
    _ = wait()
  }
}
