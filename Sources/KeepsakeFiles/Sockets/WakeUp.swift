#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Wakes a thread that waits for sockets.
package final class WakeUp: Sendable {
  let reading: Int32
  private let writing: Int32
  private let isAwake = Locked(false)

  package init() throws(FileError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw FileError(errno: errno, "Can't make a pipe", path: "")
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Wakes the thread, from any thread. Calls that come before it looked are one.
  package func wake() {
    let isFirst = isAwake.withLock { isAwake in
      defer { isAwake = true }
      return !isAwake
    }
    guard isFirst else { return }
    var byte: UInt8 = 1
    _ = uninterrupted { unsafe write(writing, &byte, 1) }
  }

  /// Forgets the calls so far. The thread does this before it looks at what they were about.
  package func clear() {
    var bytes: [UInt8] = [0, 0, 0, 0]
    while uninterrupted({ unsafe read(reading, &bytes, bytes.count) }) == bytes.count {}
    isAwake.withLock { $0 = false }
  }
}
