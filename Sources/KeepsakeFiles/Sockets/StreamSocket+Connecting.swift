#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import CKeepsakeSockets

extension StreamSocket {
  /// Connects to a port of an address in digits. Blocks until the other side has answered, or the deadline passes.
  /// - Throws: `FileError`, when nobody listens there, or nobody answers in time.
  package convenience init(address: String, port: Int, deadline: Instant) throws(FileError) {
    let place = "\(address):\(port)"
    let raw = unsafe keepsake_connect_ip(address, Int32(port))
    guard raw >= 0 else {
      throw FileError(errno: errno, "Can't connect to '\(place)'", path: place)
    }
    self.init(raw: raw)
    guard Readiness.wait(for: self, reading: false, writing: true, until: deadline) else {
      throw FileError(
        code: .timedOut,
        message: "Can't connect to '\(place)': nobody answers. Look whether it runs.",
        path: place)
    }
    let code = keepsake_socket_error(raw)
    guard code == 0 else {
      throw FileError(errno: code, "Can't connect to '\(place)'", path: place)
    }
  }

  /// Connects to a socket in the file system.
  /// - Throws: `FileError`, when nobody listens there.
  package convenience init(unixPath path: String) throws(FileError) {
    try checkPath(path)
    let raw = unsafe keepsake_connect_unix(path)
    guard raw >= 0 else { throw FileError(errno: errno, "Can't connect to '\(path)'", path: path) }
    self.init(raw: raw)
  }
}
