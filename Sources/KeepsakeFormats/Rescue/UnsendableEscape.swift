import KeepsakeFiles
import Keepsake

/// An escaped character that no service accepts: half of a surrogate pair, or a control character.
struct UnsendableEscape: Sendable {
  let range: Range<Int>
  let isSurrogate: Bool
  /// The character that is shown instead, in UTF-8.
  let shown: [UInt8]

  /// Finds all such escapes in a range of a line.
  static func all(in range: Range<Int>, of line: [UInt8]) -> [UnsendableEscape] {
    var found: [UnsendableEscape] = []
    var high: Range<Int>?
    func end(_ range: Range<Int>?) {
      guard let range else { return }
      found.append(.init(range: range, isSurrogate: true, shown: Array("\u{FFFD}".utf8)))
    }
    let bytes = line.span.bytes
    var offset = range.lowerBound
    while let escape = bytes.firstOffset(of: UInt8(ascii: "\\"), from: offset),
      escape + 1 < range.upperBound
    {
      if escape != offset || high?.upperBound != escape {
        end(high)
        high = nil
      }
      guard line[escape + 1] == UInt8(ascii: "u"), escape + 6 <= range.upperBound,
        let unit = UInt32(
          String(decoding: line[(escape + 2)..<(escape + 6)], as: UTF8.self), radix: 16)
      else {
        end(high)
        high = nil
        offset = escape + 2
        continue
      }
      let place = escape..<(escape + 6)
      offset = place.upperBound
      switch unit {
      case 0xD800..<0xDC00:
        end(high)
        high = place
      case 0xDC00..<0xE000:
        if high == nil { end(place) }
        high = nil
      default:
        end(high)
        high = nil
        guard isControl(unit), let shown = Unicode.Scalar(0x2400 + unit) else { continue }
        found.append(
          .init(range: place, isSurrogate: false, shown: Array(String(Character(shown)).utf8)))
      }
    }
    end(high)
    return found
  }

  /// Returns whether a character is a control character. Line breaks, tabs and the escape of terminal colours are allowed.
  private static func isControl(_ unit: UInt32) -> Bool {
    unit < 0x20 && ![0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains(unit)
  }
}
