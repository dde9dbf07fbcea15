#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

// These conversions between borrowed and owned bytes need a pointer. They stand here so that the rooms above
// KeepsakeFiles need none.

extension String {
  /// Creates a text from bytes that the caller has checked to be UTF-8.
  ///
  /// Where the system allows it, the bytes are not checked again. Elsewhere invalid bytes become U+FFFD.
  package init(validUTF8 bytes: RawSpan, isASCII: Bool) {
    self = unsafe bytes.withUnsafeBytes { buffer in
      unsafe buffer.withMemoryRebound(to: UInt8.self) { units in
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
          let span = unsafe UTF8Span(unchecked: units.span, isKnownASCII: isASCII)
          return String(copying: span)
        }
        return unsafe String(decoding: units, as: UTF8.self)
      }
    }
  }
}

extension String {
  /// Creates a text from the UTF-8 that a closure writes into memory.
  ///
  /// Invalid bytes become U+FFFD.
  /// - Parameters:
  ///   - capacity: The size of the memory, in bytes.
  ///   - body: Writes the text, and returns the number of bytes that it wrote.
  package init(writingUTF8 capacity: Int, _ body: (inout MutableRawSpan) -> Int) {
    self = unsafe String(unsafeUninitializedCapacity: capacity) { units in
      var target = unsafe UnsafeMutableRawBufferPointer(units).mutableBytes
      return body(&target)
    }
  }
}

extension StringProtocol {
  /// Passes the UTF-8 of this text to a closure, without a copy when the text is stored as UTF-8.
  @inlinable
  package func withUTF8Bytes<Result>(_ body: (RawSpan) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ unsafe body($0.span.bytes) }) {
      return result
    }
    let copy = [UInt8](utf8)
    return unsafe body(copy.span.bytes)
  }
}

/// As many zeros as most texts need, so that no array is made for these.
private let someZeros = [UInt8](repeating: 0, count: 4096)

extension [UInt8] {
  /// Creates an array as a copy of bytes.
  package init(copying bytes: RawSpan) {
    self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
  }

  /// Appends a copy of bytes.
  @inlinable
  package mutating func append(copying bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe self.append(contentsOf: $0) }
  }

  /// Appends an integer with the most significant byte first.
  @inlinable
  package mutating func append(bigEndian value: Int64) {
    unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe self.append(contentsOf: $0) }
  }

  /// Appends a byte as two hexadecimal digits, in small letters.
  @inlinable
  package mutating func append(hex byte: UInt8) {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
    append(digit(byte >> 4))
    append(digit(byte & 15))
  }

  /// Appends zeros, which are overwritten later.
  ///
  /// In a build for debugging an array is copied at once. A repeated element is appended one by one there, which takes a thousand times
  /// as long.
  package mutating func append(zeros count: Int) {
    if count <= someZeros.count {
      append(contentsOf: someZeros[..<count])
    } else {
      append(contentsOf: [UInt8](repeating: 0, count: count))
    }
  }

  /// Appends the UTF-8 of a literal.
  @inlinable
  package mutating func append(copying literal: StaticString) {
    literal.withUTF8Buffer { unsafe self.append(contentsOf: $0) }
  }
}

extension Data {
  /// Creates data as a copy of bytes.
  package init(copying bytes: RawSpan) {
    self = unsafe bytes.withUnsafeBytes { unsafe Data($0) }
  }

  /// Passes the bytes to a closure, without a copy.
  package func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try unsafe withUnsafeBytes { bytes in try unsafe body(bytes.bytes) }
  }
}

extension RawSpan {
  /// Returns whether the bytes from `start` up to `end` are the UTF-8 of a literal.
  @inlinable
  package func spells(_ literal: StaticString, from start: Int, to end: Int) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard count == end - start, start >= 0, end <= byteCount else { return false }
    return literal.withUTF8Buffer { units in
      let units = UnsafeRawBufferPointer(units)
      // Eight bytes are compared at once, because the literal is often the frame of a whole body.
      func differ(at index: Int) -> Bool {
        unsafe units.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          != unsafeLoadUnaligned(fromByteOffset: start + index, as: UInt64.self)
      }
      var index = 0
      while index + 8 <= count {
        if differ(at: index) { return false }
        index += 8
      }
      // The last bytes are compared together with some bytes before them.
      if count >= 8 { return index == count || !differ(at: count - 8) }
      while index < count {
        guard
          unsafe units[index] == unsafeLoad(fromByteOffset: start + index, as: UInt8.self)
        else { return false }
        index += 1
      }
      return true
    }
  }
}
