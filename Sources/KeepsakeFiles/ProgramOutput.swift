#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The output and exit code of another program, which is run to its end without a shell.
package struct ProgramOutput: Sendable {
  /// The program's standard output.
  package let bytes: [UInt8]
  /// The exit code, or 128 and the number of the signal that ended the program.
  package let exitCode: Int32

  /// Runs a program with empty input and blocks until it ends. Its error output is thrown away.
  /// - Parameters:
  ///   - path: The path of the program's file.
  ///   - arguments: The arguments, without the program's name.
  ///   - environment: The program's whole environment.
  ///   - limit: The number of bytes after which no more output is read, and the program's pipe is closed.
  /// - Throws: `FileError`, when the program can't be started.
  package init(
    running path: String, _ arguments: [String], environment: [String: String], limit: Int
  ) throws(FileError) {
    for text in [path] + arguments { try checkPath(text.isEmpty ? "-" : text) }
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw FileError(errno: errno, "Can't start '\(path)'", path: path)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let output = ends[0]
    let id: pid_t
    do {
      id = try Spawn(
        streams: [0: .nothing, 1: .descriptor(ends[1]), 2: .nothing], isOwnGroup: false)(
          path, [path] + arguments, environment: environment, as: path)
    } catch {
      for end in ends { close(end) }
      throw error
    }
    close(ends[1])
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = uninterrupted { unsafe read(output, &piece, piece.count) }
      if count <= 0 { break }
      bytes += piece[..<count]
    }
    // A program that still writes gets an error, because nobody reads its output any more.
    close(output)
    var status: Int32 = 0
    _ = uninterrupted { unsafe waitpid(id, &status, 0) }
    let signal = status & 0x7F
    self.bytes = bytes
    exitCode = signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
