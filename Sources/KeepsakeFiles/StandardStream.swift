#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The stream that a command writes to: its results, or messages about its work.
package enum StandardStream: Int32, Sendable {
  case output = 1
  case error = 2

  /// Whether the stream is shown on a terminal, and does not go to a file or another program.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The size of the terminal in columns and rows; nil where the stream is no terminal, or the size is not known.
  package var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes all bytes. Blocks while the reader at the other end is slow.
  package func write(_ bytes: [UInt8]) throws(FileError) {
    try writeAll(bytes, to: rawValue, as: self == .output ? "standard output" : "standard error")
  }
}

/// Writes all bytes to an open descriptor. Blocks while the reader at the other end is slow.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, as name: String) throws(FileError) {
  var written = 0
  while written < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
      return uninterrupted { unsafe write(descriptor, rest.baseAddress, rest.count) }
    }
    // A device that accepts nothing and reports no error would keep this loop running for ever.
    guard count > 0 else {
      throw FileError(errno: count < 0 ? errno : EIO, "Can't write to \(name)", path: name)
    }
    written += count
  }
}
