#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The standard input of a command.
package enum StandardInput {
  /// Whether a person types the input.
  package static var isTerminal: Bool { isatty(0) == 1 }

  /// Reads the next bytes. Blocks until there are some.
  /// - Parameter count: The largest number of bytes.
  /// - Returns: The bytes; none at the end of the input.
  package static func read(_ count: Int = 1 << 16) throws(FileError) -> [UInt8] {
    var failure: FileError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let result = uninterrupted { unsafe systemRead(0, buffer.baseAddress, count) }
      filled = max(0, result)
      if result < 0 {
        failure = FileError(errno: errno, "Can't read standard input", path: "standard input")
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// Calls the system's `read`, whose name is hidden inside of a method with the same name.
@unsafe
private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(file, bytes, count)
}
