#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What another program prints, and how it ended: run to its end with a list of arguments, so that no shell reads them.
public struct ProgramOutput: Sendable {
  /// What it printed to its standard output.
  public let bytes: [UInt8]
  /// Its code, or 128 and the number of a signal.
  public let exitCode: Int32

  /// Runs a program that reads nothing; nobody sees what it says of errors. Blocks until it ends.
  /// - Parameters:
  ///   - path: The program's file.
  ///   - arguments: What it is given, its own name left out.
  ///   - environment: The variables that it sees; no others.
  ///   - limit: How many bytes are read of what it prints; when there are more, it is ended.
  public init(
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
    // A program that still prints is told that nobody reads it any more.
    close(output)
    var status: Int32 = 0
    _ = uninterrupted { unsafe waitpid(id, &status, 0) }
    let signal = status & 0x7F
    self.bytes = bytes
    exitCode = signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
