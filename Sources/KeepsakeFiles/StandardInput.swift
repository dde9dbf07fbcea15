#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a command is given to read.
public enum StandardInput {
  /// Whether a person types it.
  public static var isTerminal: Bool { isatty(0) == 1 }

  /// The bytes that come next, at most so many; none at the end. Blocks until there are some.
  public static func read(_ count: Int = 1 << 16) throws(FileError) -> [UInt8] {
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

/// The system's `read`, by a name that a method of that name does not hide.
@unsafe
private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(file, bytes, count)
}
