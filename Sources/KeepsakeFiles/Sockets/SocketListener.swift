#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import CKeepsakeSockets

/// A socket at which clients arrive. It is closed when its last owner releases it.
package final class SocketListener: Sendable {
  let raw: Int32
  /// The port; 0 for a socket in the file system.
  package let port: Int
  /// Where it listens, for messages: `127.0.0.1:80`, `[::1]:80`, or a path.
  package let place: String
  /// The file of a socket in the file system, which is removed with it.
  private let file: (path: String, identity: FileStatus)?

  /// Listens at a port of an address in digits.
  /// - Parameters:
  ///   - address: The address, of IPv4 or IPv6 (without brackets).
  ///   - port: The port; 0 for any that is free.
  /// - Throws: `FileError`; its `errno` is `EADDRINUSE` where somebody else has the port.
  package init(address: String, port: Int) throws(FileError) {
    let place = "\(address.utf8.contains(0x3A) ? "[\(address)]" : address)"
    guard (0...65_535).contains(port), !address.utf8.contains(0) else {
      throw FileError(
        code: .invalid, message: "Can't listen at port \(port) of '\(address)': there is no such.",
        path: place)
    }
    raw = unsafe keepsake_listen_ip(address, Int32(port))
    guard raw >= 0 else { throw Self.failure("\(place):\(port)") }
    let found = keepsake_socket_port(raw)
    self.port = Int(found)
    self.place = "\(place):\(found)"
    file = nil
  }

  /// Listens at a socket in the file system, which only this user may connect to.
  ///
  /// A socket that nobody answers is left over from a process that is gone, and is replaced. Anything else at the path
  /// is left alone.
  /// - Throws: `FileError`; its code is `exists` where somebody answers, or where the path leads to no socket.
  package init(unixPath path: String) throws(FileError) {
    try checkPath(path)
    let folder =
      path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    // The lock keeps two processes from replacing the same abandoned socket at the same time.
    let held = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard held >= 0 else { throw FileError(errno: errno, "Can't open '\(folder)'", path: folder) }
    defer { close(held) }
    guard uninterrupted({ flock(held, LOCK_EX) }) == 0 else {
      throw FileError(errno: errno, "Can't lock '\(folder)'", path: folder)
    }
    var found = unsafe keepsake_listen_unix(path)
    if found < 0, errno == EADDRINUSE {
      try Self.removeRemains(path)
      found = unsafe keepsake_listen_unix(path)
    }
    guard found >= 0 else { throw Self.failure(path) }
    raw = found
    port = 0
    place = path
    var status = stat()
    file = unsafe lstat(path, &status) == 0 ? (path, FileStatus(status)) : nil
  }

  deinit {
    if let file {
      // Somebody else may have replaced it in the meantime.
      var status = stat()
      if unsafe lstat(file.path, &status) == 0, FileStatus(status).isSameFile(as: file.identity) {
        unsafe unlink(file.path)
      }
    }
    close(raw)
  }

  /// The next client; nil where nobody waits, or one went away again before it was taken.
  /// - Throws: `FileError`, when the process has too many open files or the system too little memory.
  package func accept() throws(FileError) -> StreamSocket? {
    let client = uninterrupted { keepsake_accept(raw) }
    if client >= 0 { return StreamSocket(raw: client) }
    switch errno {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM:
      throw FileError(errno: errno, "Can't take a client of '\(place)'", path: place)
    default: return nil
    }
  }

  /// Removes a socket that nobody answers, and throws where it is something else.
  private static func removeRemains(_ path: String) throws(FileError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw FileError(
        code: .exists,
        message:
          "Can't listen at '\(path)': there is a file that is no socket. Choose another path.",
        path: path, errno: EEXIST)
    }
    let answer = unsafe keepsake_connect_unix(path)
    let code = errno
    if answer >= 0 { close(answer) }
    guard answer < 0, code == ECONNREFUSED else {
      throw FileError(
        code: .exists,
        message:
          "Can't listen at '\(path)': another process does. Stop it, or choose another path.",
        path: path, errno: EADDRINUSE)
    }
    unsafe unlink(path)
  }

  private static func failure(_ place: String) -> FileError {
    let code = errno
    if code == EADDRINUSE {
      return FileError(
        code: .exists,
        message:
          "Can't listen at '\(place)': another process does. Stop it, or choose another port.",
        path: place, errno: code)
    }
    if [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT].contains(code) {
      return FileError(
        code: .notFound,
        message: "Can't listen at '\(place)': this machine has no such address. Name another one.",
        path: place, errno: code)
    }
    return FileError(errno: code, "Can't listen at '\(place)'", path: place)
  }
}
