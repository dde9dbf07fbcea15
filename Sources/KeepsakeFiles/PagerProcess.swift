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
    do {
      id = try Spawn(streams: [0: .descriptor(ends[0])], isOwnGroup: false)(
        "/bin/sh", ["sh", "-c", command], environment: environment, as: command)
    } catch {
      close(ends[1])
      throw error
    }
    input = Locked(ends[1])
  }

  /// Hands it more to show; waits while it has enough.
  public func write(_ bytes: [UInt8]) throws(FileError) {
    guard let input = input.withLock({ $0 }) else { return }
    try writeAll(bytes, to: input, as: "the pager")
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
