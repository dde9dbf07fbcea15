import KeepsakeFiles
import Keepsake

/// Reads a value at a range of a record that was validated before.
enum JSONText {
  static func kind(_ range: Range<Int>, in bytes: [UInt8]) -> JSON.Kind? {
    var reader = JSONReader(valid: bytes.span.bytes.extracting(range))
    return try? reader.nextKind()
  }

  static func string(_ range: Range<Int>, in bytes: [UInt8]) -> String? {
    var reader = JSONReader(valid: bytes.span.bytes.extracting(range))
    return try? reader.string()
  }

  static func value(_ range: Range<Int>, in bytes: [UInt8]) -> JSON? {
    var reader = JSONReader(valid: bytes.span.bytes.extracting(range))
    return try? reader.rawValue()
  }

  static func elements(_ range: Range<Int>, in bytes: [UInt8]) -> [Range<Int>]? {
    var reader = JSONReader(valid: bytes.span.bytes.extracting(range))
    var elements: [Range<Int>] = []
    do {
      try reader.beginArray()
      while try reader.nextElement() {
        let value = try reader.skipValue()
        elements.append(
          (value.lowerBound + range.lowerBound)..<(value.upperBound + range.lowerBound))
      }
    } catch { return nil }
    return elements
  }

  /// Returns whether a string holds an escaped half of a surrogate pair without its other half, which is read as U+FFFD.
  static func hasLoneSurrogate(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
    var index = range.lowerBound
    var isHigh = false
    while index < range.upperBound {
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < range.upperBound else {
        if isHigh { return true }
        index += 1
        continue
      }
      let unit = bytes[index + 1] == UInt8(ascii: "u") ? self.unit(bytes[(index + 2)...]) : nil
      switch unit {
      case .some(0xD800..<0xDC00):
        if isHigh { return true }
        isHigh = true
      case .some(0xDC00..<0xE000):
        guard isHigh else { return true }
        isHigh = false
      default: if isHigh { return true }
      }
      index += unit == nil ? 2 : 6
    }
    return isHigh
  }

  private static func unit(_ digits: ArraySlice<UInt8>) -> UInt16? {
    UInt16(String(decoding: digits.prefix(4), as: UTF8.self), radix: 16)
  }
}
