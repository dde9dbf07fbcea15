/// The exact decimal value of a number in any spelling.
///
/// The value is 0.d₁d₂d₃… × 10^exponent, without zeros at either end; zero has no digits and no sign. A large exponent is never
/// written out as digits.
struct JSONDecimal: Equatable {
  private(set) var isNegative = false
  private(set) var digits: [UInt8] = []
  private(set) var exponent = 0

  /// The exponent from which on a number is not decoded.
  private static var exponentLimit: Int { 100_000_000_000_000_000 }

  /// Reads a number that was checked; nil if its exponent is too large, so that the number equals only its own spelling.
  init?(_ bytes: RawSpan, _ range: Range<Int>) {
    var stated = 0
    var isStatedNegative = false
    var inFraction = false
    var inExponent = false
    for index in range {
      let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
      switch byte {
      case UInt8(ascii: "-") where inExponent: isStatedNegative = true
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): inFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): inExponent = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = byte - UInt8(ascii: "0")
        if inExponent {
          stated = min(stated * 10 + Int(digit), Self.exponentLimit)
        } else if digit == 0 && digits.isEmpty {
          if inFraction { exponent -= 1 }
        } else {
          digits.append(digit)
          if !inFraction { exponent += 1 }
        }
      default: break
      }
    }
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty {
      isNegative = false
      exponent = 0
    } else if stated == Self.exponentLimit {
      return nil
    } else {
      exponent += isStatedNegative ? -stated : stated
    }
  }

  /// The value as a whole number of 64 bits; nil if it is none.
  var int64: Int64? {
    if digits.isEmpty { return 0 }
    guard exponent >= digits.count, exponent <= 19 else { return nil }
    var value: Int64 = 0
    for index in 0..<exponent {
      let digit = index < digits.count ? Int64(digits[index]) : 0
      let (scaled, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (next, overflowedAgain) = scaled.subtractingReportingOverflow(digit)
      if overflowed || overflowedAgain { return nil }
      value = next
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }
}
