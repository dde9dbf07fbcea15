#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The standard input and output of a program that talks to another program, for that talk alone.
///
/// From its making on, whatever else the process writes to its standard output goes to its standard error: a stray line would
/// break the talk. Programs that this process starts get neither. The other program may have set either stream not to block;
/// both calls wait nevertheless.
package final class PrivateStreams: Sendable {
  private let output: FileDescriptor

  /// Takes the streams. Called once, before anything is written.
  ///
  /// - Throws: `FileError`, when there is no standard output.
  package init() throws(FileError) {
    let name = "standard output"
    // Above the numbers of the standard streams, which a missing one would leave free.
    let copy = uninterrupted { fcntl(1, F_DUPFD_CLOEXEC, 3) }
    guard copy >= 0 else { throw FileError(errno: errno, "Can't use \(name)", path: name) }
    output = FileDescriptor(raw: copy, path: name)
    guard uninterrupted({ dup2(2, 1) }) < 0 else { return }
    let nothing = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0 else { throw FileError(errno: errno, "Can't use \(name)", path: name) }
    defer { close(nothing) }
    guard uninterrupted({ dup2(nothing, 1) }) >= 0 else {
      throw FileError(errno: errno, "Can't use \(name)", path: name)
    }
  }

  /// Reads the next bytes of the input. Blocks until there are some; none at the end.
  package func read(_ count: Int = 1 << 16) throws(FileError) -> [UInt8] {
    while true {
      do throws(FileError) { return try StandardInput.read(count) } catch {
        guard error.errno == EAGAIN else { throw error }
        Self.wait(for: Int16(POLLIN), on: 0)
      }
    }
  }

  /// Writes all bytes to the output. Blocks while the reader at the other end is slow.
  package func write(_ bytes: [UInt8]) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let (count, number) = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
        let count = uninterrupted {
          unsafe systemWrite(output.number, rest.baseAddress, rest.count)
        }
        return (count, errno)
      }
      if count > 0 {
        written += count
      } else if count < 0, number == EAGAIN {
        Self.wait(for: Int16(POLLOUT), on: output.number)
      } else {
        throw FileError(
          errno: count < 0 ? number : EIO, "Can't write to \(output.path)", path: output.path)
      }
    }
  }

  private static func wait(for events: Int16, on descriptor: Int32) {
    var poll = pollfd(fd: descriptor, events: events, revents: 0)
    _ = uninterrupted { unsafe systemPoll(&poll) }
  }
}

/// Calls the system's `poll`, for one descriptor, without a limit.
@unsafe
private func systemPoll(_ one: UnsafeMutablePointer<pollfd>) -> Int32 { unsafe poll(one, 1, -1) }

/// Calls the system's `write`, whose name is hidden inside of a method with the same name.
@unsafe
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, bytes, count)
}
