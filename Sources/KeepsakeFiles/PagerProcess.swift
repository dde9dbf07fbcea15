#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program that shows text page by page on the terminal of this process.
///
/// The person configured its command line, so a shell interprets it. Ctrl-C reaches it, as it reaches this process.
package final class PagerProcess: Sendable {
  private let id: pid_t
  /// The end of the pipe that is written to; nil after the end of the text.
  private let input: Locked<Int32?>

  /// Starts the program.
  /// - Parameters:
  ///   - command: The command line that starts it.
  ///   - environment: The program's whole environment.
  /// - Throws: `FileError`, when the program can't be started.
  package init(_ command: String, environment: [String: String]) throws(FileError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw FileError(errno: errno, "Can't start '\(command)'", path: command)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    do {
      id = try Spawn(streams: [0: .descriptor(ends[0])], isOwnGroup: false)(
        "/bin/sh", ["sh", "-c", command], environment: environment, as: command)
    } catch {
      close(ends[1])
      throw error
    }
    input = Locked(ends[1])
  }

  /// Passes more text to the program. Waits while the program does not read.
  package func write(_ bytes: [UInt8]) throws(FileError) {
    guard let input = input.withLock({ $0 }) else { return }
    try writeAll(bytes, to: input, as: "the pager")
  }

  /// Ends the text, and waits until the person leaves the program.
  package func finish() {
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
