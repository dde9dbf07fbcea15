#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A running program that was started with a list of arguments, so that no shell interprets them.
package struct ChildProcess: Sendable {
  /// The process number of the program.
  package let id: Int32

  /// Starts a program with empty input, whose output is thrown away. Ctrl-C does not reach it.
  /// - Parameters:
  ///   - path: The path of the program's file.
  ///   - arguments: The arguments, without the program's name.
  ///   - environment: The program's whole environment.
  /// - Throws: `FileError`, when the program can't be started.
  package init(
    starting path: String, _ arguments: [String], environment: [String: String]
  ) throws(FileError) {
    for text in [path] + arguments { try checkPath(text.isEmpty ? "-" : text) }
    id = try Spawn(streams: [0: .nothing, 1: .nothing, 2: .nothing], isOwnGroup: true)(
      path, [path] + arguments, environment: environment, as: path)
  }

  /// The exit code, or 128 and the number of the signal that ended the program; nil while it runs.
  ///
  /// The system gives the code once: a later call returns 0.
  package func exitCode() -> Int32? {
    var status: Int32 = 0
    let ended = uninterrupted { unsafe waitpid(id, &status, WNOHANG) }
    guard ended == id else { return ended == 0 ? nil : 0 }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// Lets the program run on alone. Its remains in the system are cleared when it ends, while this process runs.
  package func leave() {
    Task.detached { [self] in
      while exitCode() == nil { try? await Task.sleep(for: .seconds(1)) }
    }
  }

  /// Finds a program's file in folders, as a shell does; nil where there is none.
  /// - Parameters:
  ///   - name: The name of the program.
  ///   - folders: The folders, separated by colons as in `PATH`.
  package static func find(_ name: String, in folders: String) -> String? {
    folders.split(separator: ":").lazy.map { "\($0)/\(name)" }
      .first { unsafe $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }
}
