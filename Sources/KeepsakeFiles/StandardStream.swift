#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where a command writes: what it was asked for, or what it says about its work.
public enum StandardStream: Int32, Sendable {
  case output = 1
  case error = 2

  /// Whether a person reads it, and not a file or another program.
  public var isTerminal: Bool { isatty(rawValue) == 1 }

  /// How many columns and rows the terminal has; nil where it is none, or does not say.
  public var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes all of the bytes; blocks while a reader at the other end is slow.
  public func write(_ bytes: [UInt8]) throws(FileError) {
    try writeAll(bytes, to: rawValue, as: self == .output ? "standard output" : "standard error")
  }
}

/// Writes all of the bytes to what is open as a descriptor; blocks while a reader at the other end is slow.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, as name: String) throws(FileError) {
  var written = 0
  while written < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
      return uninterrupted { unsafe write(descriptor, rest.baseAddress, rest.count) }
    }
    guard count >= 0 else { throw FileError(errno: errno, "Can't write to \(name)", path: name) }
    written += count
  }
}
