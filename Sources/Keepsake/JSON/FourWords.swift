/// 32 bytes of a JSON string, or of other text, in the machine's byte order.
///
/// These are words and not a vector: optimized they become one, and a build without optimization reads them ten times as fast.
struct FourWords: Sendable, BitwiseCopyable {
  let first, second, third, fourth: UInt64

  /// Tells whether any byte is a quote, a backslash or a control character; ``JSONWord/specials(in:)`` tells which.
  @inline(__always)
  var hasSpecial: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = ones &* 0x02
    let end = ones &* 0x21
    let backslash = ones &* 0x5C
    let marks =
      ((((first ^ quote) &- end) | ((first ^ backslash) &- ones)) & ~first)
      | ((((second ^ quote) &- end) | ((second ^ backslash) &- ones)) & ~second)
      | ((((third ^ quote) &- end) | ((third ^ backslash) &- ones)) & ~third)
      | ((((fourth ^ quote) &- end) | ((fourth ^ backslash) &- ones)) & ~fourth)
    return marks & (ones &* 0x80) != 0
  }

  /// All bits that any of the words has.
  @inline(__always)
  var folded: UInt64 { (first | second) | (third | fourth) }

  @inline(__always)
  subscript(index: Int) -> UInt64 {
    switch index {
    case 0: first
    case 1: second
    case 2: third
    default: fourth
    }
  }
}
