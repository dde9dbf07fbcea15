import KeepsakeFiles

extension JSONReader {
  /// Reads a whole number of 64 bits in any spelling: `100`, `1e2` and `100.0` are the same.
  package mutating func int() throws(JSONError) -> Int64 {
    let range = try number()
    if let value = plainInt(range) { return value }
    guard let value = JSONDecimal(bytes, range)?.int64 else {
      throw JSONError(.notInt64, at: range.lowerBound)
    }
    return value
  }

  /// Reads a number as the nearest double; throws if that would be infinite.
  package mutating func double() throws(JSONError) -> Double {
    let range = try number()
    let text = String(validUTF8: bytes.extracting(range), isASCII: true)
    guard let value = Double(text), value.isFinite else {
      throw JSONError(.beyondDouble, at: range.lowerBound)
    }
    return value
  }

  /// Reads `true` or `false`.
  package mutating func bool() throws(JSONError) -> Bool {
    position = skipSpace(position)
    let first = byte(at: position)
    guard first == UInt8(ascii: "t") || first == UInt8(ascii: "f") else { throw wrongKind(.bool) }
    position = try endOfLiteral(position)
    return first == UInt8(ascii: "t")
  }

  /// Skips `null` if it comes next, and returns whether it did.
  package mutating func null() throws(JSONError) -> Bool {
    position = skipSpace(position)
    guard byte(at: position) == UInt8(ascii: "n") else { return false }
    position = try endOfLiteral(position)
    return true
  }

  /// Skips a number, and returns its range.
  mutating func number() throws(JSONError) -> Range<Int> {
    position = skipSpace(position)
    let start = position
    guard JSON.Kind(firstByte: byte(at: start)) == .number else { throw wrongKind(.number) }
    position = try endOfNumber(start)
    return start..<position
  }

  /// Returns the value of an optional sign and digits; nil if there is anything else, or the value overflows.
  func plainInt(_ range: Range<Int>) -> Int64? {
    var value: Int64 = 0
    let isNegative = byte(at: range.lowerBound) == UInt8(ascii: "-")
    for index in (isNegative ? range.lowerBound + 1 : range.lowerBound)..<range.upperBound {
      let byte = byte(at: index)
      guard isDigit(byte) else { return nil }
      let digit = Int64(byte - UInt8(ascii: "0"))
      // The value is built with negative numbers, because there is one more of them.
      let (scaled, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (next, overflowedAgain) = scaled.subtractingReportingOverflow(digit)
      if overflowed || overflowedAgain { return nil }
      value = next
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }
}
