// The few steps between borrowed bytes and owned ones that need a pointer. They stand here so that
// the rooms above this one need none. `UTF8Span` would do some of it, from macOS 26 on.

extension String {
  /// The text that these bytes spell in UTF-8; nil when they are not UTF-8.
  package init?(validatingUTF8 bytes: RawSpan) {
    let text = unsafe bytes.withUnsafeBytes { buffer in
      unsafe buffer.withMemoryRebound(to: UInt8.self) { units in
        unsafe String(validating: units, as: UTF8.self)
      }
    }
    guard let text else { return nil }
    self = text
  }
}

extension StringProtocol {
  /// Lends the UTF-8 of this text, without a copy when the text is stored as UTF-8.
  package func withUTF8Bytes<Result>(_ body: (RawSpan) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ unsafe body($0.span.bytes) }) {
      return result
    }
    let copy = [UInt8](utf8)
    return unsafe body(copy.span.bytes)
  }
}

extension [UInt8] {
  /// A copy of these bytes.
  package init(copying bytes: RawSpan) {
    self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
  }

  /// Appends a copy of these bytes.
  @inlinable
  package mutating func append(copying bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe self.append(contentsOf: $0) }
  }

  /// Appends the UTF-8 of a literal.
  @inlinable
  package mutating func append(copying literal: StaticString) {
    literal.withUTF8Buffer { unsafe self.append(contentsOf: $0) }
  }
}

extension RawSpan {
  /// Whether the bytes from `start` up to `end` are the UTF-8 of a literal.
  @inlinable
  package func spells(_ literal: StaticString, from start: Int, to end: Int) -> Bool {
    guard literal.utf8CodeUnitCount == end - start else { return false }
    return literal.withUTF8Buffer { units in
      for index in 0..<units.count
      where unsafe units[index] != unsafeLoad(fromByteOffset: start + index, as: UInt8.self) {
        return false
      }
      return true
    }
  }
}
