#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension RawSpan {
  /// The first offset of a byte from an offset on; nil where there is none. The search runs at the speed of memory.
  package func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    guard start < byteCount else { return nil }
    return unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = unsafe memchr(base + start, Int32(byte), bytes.count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}
