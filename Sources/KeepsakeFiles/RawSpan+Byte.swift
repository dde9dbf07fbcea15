#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension RawSpan {
  /// Where a byte stands first, from an offset on; nil where it does not. As fast as the machine reads memory.
  public func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    guard start < byteCount else { return nil }
    return unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = unsafe memchr(base + start, Int32(byte), bytes.count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}
