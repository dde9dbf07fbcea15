import KeepsakeFiles

/// Converts times between microseconds since 1970 and text such as `2026-10-14T09:30:00.25Z`.
///
/// `ISO8601DateFormatter` takes thousands of times as long. Integers avoid the loss of precision that a floating-point number
/// would bring.
package enum RFC3339 {
  private static let day: Int64 = 86_400_000_000
  private static let second: Int64 = 1_000_000

  /// Returns the time in UTC, with six digits of fraction unless it is a whole second.
  ///
  /// A year that does not have four digits is written as ISO 8601 extends it, with a sign and at least six digits.
  package static func text(_ microseconds: Int64) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(27)
    append(microseconds, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends a time to a text in UTF-8. The time is in UTC, and has six digits of fraction unless it is a whole second.
  static func append(_ microseconds: Int64, to text: inout [UInt8]) {
    let (days, rest) = microseconds.flooredQuotientAndRemainder(dividingBy: day)
    let (year, month, date) = civil(days)
    let (seconds, fraction) = rest.quotientAndRemainder(dividingBy: second)
    if !(0...9999).contains(year) { text.append(UInt8(ascii: year < 0 ? "-" : "+")) }
    append(year.magnitude, digits: (0...9999).contains(year) ? 4 : 6, to: &text)
    text.append(UInt8(ascii: "-"))
    append(month.magnitude, digits: 2, to: &text)
    text.append(UInt8(ascii: "-"))
    append(date.magnitude, digits: 2, to: &text)
    text.append(UInt8(ascii: "T"))
    append((seconds / 3600).magnitude, digits: 2, to: &text)
    text.append(UInt8(ascii: ":"))
    append((seconds / 60 % 60).magnitude, digits: 2, to: &text)
    text.append(UInt8(ascii: ":"))
    append((seconds % 60).magnitude, digits: 2, to: &text)
    if fraction > 0 {
      text.append(UInt8(ascii: "."))
      append(fraction.magnitude, digits: 6, to: &text)
    }
    text.append(UInt8(ascii: "Z"))
  }

  private static func append(_ value: UInt64, digits: Int, to text: inout [UInt8]) {
    let start = text.count
    var rest = value
    var count = 0
    while count < digits || rest > 0 {
      text.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      count += 1
    }
    text[start...].reverse()
  }

  /// Reads a time in text; nil if the text is no time. Digits beyond microseconds are dropped.
  ///
  /// Any offset from UTC is accepted. As RFC 3339 allows, `t`, `z` and a space in place of `T` are accepted, and a leap second
  /// counts as the next second.
  package static func microseconds(_ text: String) -> Int64? {
    text.withUTF8Bytes { microseconds($0) }
  }

  /// Reads a time from a text in UTF-8.
  static func microseconds(_ text: RawSpan) -> Int64? {
    var scanner = Scanner(text)
    guard let year = scanner.year(), scanner.skip("-"), let month = scanner.number(2),
      scanner.skip("-"), let date = scanner.number(2), (1...12).contains(month),
      (1...length(ofMonth: month, year: year)).contains(date), scanner.skip("Tt "),
      let hour = scanner.number(2), hour < 24, scanner.skip(":"),
      let minute = scanner.number(2), minute < 60, scanner.skip(":"),
      let seconds = scanner.number(2), seconds <= 60, let fraction = scanner.fraction(),
      let offset = scanner.offset(), scanner.isAtEnd
    else { return nil }
    // The arithmetic is wider, because an extended year may exceed the range of 64-bit microseconds.
    let time = (hour * 3600 + minute * 60 + seconds - offset) * second + fraction
    return Int64(exactly: Int128(days(year, month, date)) * Int128(day) + Int128(time))
  }

  private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

// Days and dates of the Gregorian calendar. A year here begins in March, so that the leap day is its last, and the
// calendar repeats every 400 years, which are 146,097 days.
extension RFC3339 {
  private static func days(_ year: Int64, _ month: Int64, _ date: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let (era, yearOfEra) = shifted.flooredQuotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + date - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, date: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }
}

extension RFC3339 {
  /// Reads the parts of a time in text, one after the other.
  private struct Scanner: ~Escapable {
    private let text: RawSpan
    private var position = 0

    @_lifetime(copy text)
    init(_ text: RawSpan) { self.text = text }

    var isAtEnd: Bool { position == text.byteCount }

    /// The byte at an offset; 0 past the end.
    private func byte(at offset: Int) -> UInt8 {
      offset < text.byteCount ? text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) : 0
    }

    private func isDigit(at offset: Int) -> Bool {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte(at: offset))
    }

    mutating func skip(_ characters: StaticString) -> Bool {
      guard !isAtEnd else { return false }
      let byte = byte(at: position)
      guard characters.withUTF8Buffer({ $0.contains(byte) }) else { return false }
      position += 1
      return true
    }

    /// Reads a number of exactly the given count of digits.
    mutating func number(_ digits: Int) -> Int64? {
      var value: Int64 = 0
      for offset in position..<(position + digits) {
        guard isDigit(at: offset) else { return nil }
        value = value * 10 + Int64(byte(at: offset) - UInt8(ascii: "0"))
      }
      position += digits
      return value
    }

    private var digitsAhead: Int {
      var end = position
      while isDigit(at: end) { end += 1 }
      return end - position
    }

    mutating func year() -> Int64? {
      let isNegative = byte(at: 0) == UInt8(ascii: "-")
      guard skip("+-") else { return number(4) }
      let digits = digitsAhead
      guard (6...9).contains(digits), let year = number(digits) else { return nil }
      return isNegative ? -year : year
    }

    /// Reads a fraction of a second as microseconds; 0 if there is none, nil if it is malformed.
    mutating func fraction() -> Int64? {
      guard skip(".") else { return 0 }
      let digits = digitsAhead
      guard digits > 0, var value = number(min(digits, 6)) else { return nil }
      for _ in min(digits, 6)..<6 { value *= 10 }
      position += max(0, digits - 6)
      return value
    }

    /// Reads the offset from UTC in seconds; nil if it is malformed.
    mutating func offset() -> Int64? {
      if skip("Zz") { return 0 }
      let isBehind = byte(at: position) == UInt8(ascii: "-")
      guard skip("+-"), let hours = number(2), hours < 24, skip(":"), let minutes = number(2),
        minutes < 60
      else { return nil }
      return (hours * 3600 + minutes * 60) * (isBehind ? -1 : 1)
    }
  }
}

extension Int64 {
  /// Divides and rounds down, so that times before 1970 fall on the right day.
  fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
