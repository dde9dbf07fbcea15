/// A place where a server waits for clients.
package enum HTTPListener: Sendable, Hashable {
  /// A port of this machine alone, on `127.0.0.1` and on `::1` where the machine has it. Port 0 is any that is free.
  case loopback(port: Int)
  /// A port of one address, which is written in digits. Other machines may reach it.
  case address(String, port: Int)
  /// A socket in the file system, which only its owner may use (mode 0600).
  ///
  /// One that is left over from a server that is gone is replaced; one that somebody answers is not.
  case unix(path: String)
}
