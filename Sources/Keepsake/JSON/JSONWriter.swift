#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

/// Writes minified JSON, value by value, and inserts the commas.
///
/// The caller must write brackets and keys in a valid order, which is not checked.
package struct JSONWriter: Sendable {
  /// The UTF-8 that was written so far.
  package private(set) var bytes: [UInt8]

  /// Whether a comma is needed before the next key or element.
  private var needsComma = false

  package init(reserving capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Writes a key that needs no escapes.
  package mutating func key(_ key: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(copying: key)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a key from bytes that have the key's quotes, escapes and colon already, as ``spelled(key:)`` makes them.
  package mutating func key(spelled key: [UInt8]) {
    separate()
    bytes.append(copying: key.span.bytes)
    needsComma = false
  }

  /// Returns the JSON of a key, with its quotes, its escapes and its colon. A caller that writes a key often keeps these bytes.
  package static func spelled(key: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.key(escaping: key)
    return writer.bytes
  }

  /// Writes a key with escapes where needed.
  package mutating func key(escaping key: String) {
    string(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string, and escapes only quotes, backslashes and control characters.
  package mutating func string(_ value: some StringProtocol) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    value.withUTF8Bytes { appendEscaped($0) }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes a string that needs no escapes.
  /// - Parameter append: A closure that appends the UTF-8 of the string to the bytes that it gets.
  @inline(__always)
  package mutating func plainString(_ append: (inout [UInt8]) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(&bytes)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes bytes as a string of base64.
  package mutating func base64(_ data: Data) {
    plainString { bytes in data.base64EncodedData().withBytes { bytes.append(copying: $0) } }
  }

  package mutating func int(_ value: Int64) {
    separate()
    needsComma = true
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  /// Writes a double with the shortest spelling that reads as the same double.
  ///
  /// - Parameter value: The double.
  /// - Throws: A ``JSONError`` if the value is infinite or not a number; nothing is written then.
  package mutating func double(_ value: Double) throws(JSONError) {
    guard value.isFinite else { throw JSONError(.notFinite, at: bytes.count) }
    separate()
    needsComma = true
    bytes.append(contentsOf: value.description.utf8)
  }

  package mutating func bool(_ value: Bool) {
    separate()
    needsComma = true
    bytes.append(copying: value ? "true" : "false")
  }

  package mutating func null() {
    separate()
    needsComma = true
    bytes.append(copying: "null")
  }

  /// Writes a value as its own text.
  package mutating func raw(_ value: JSON) {
    separate()
    needsComma = true
    bytes.append(contentsOf: value.bytes)
  }

  /// Ends a line. The next value stands on a line of its own.
  package mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  @inline(__always)
  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }
}

// MARK: - Escaping

extension JSONWriter {
  private mutating func appendEscaped(_ text: RawSpan) {
    var cursor = 0
    var length = bytes.count
    while cursor < text.byteCount {
      // There is room for a text with few escapes, which is filled some words at a time. A text with many escapes needs more
      // rounds.
      let rest = text.byteCount - cursor
      bytes.append(zeros: rest + rest / 16 + 2 * Self.step)
      var span = bytes.mutableSpan
      var target = span.mutableBytes
      (cursor, length) = Self.escape(text, from: cursor, into: &target, at: length)
    }
    bytes.removeLast(bytes.count - length)
  }

  /// More bytes than one step writes: four words, or part of them and the longest escape.
  private static var step: Int { 40 }

  /// Copies a text with escapes until the text or the room ends, and returns both offsets.
  private static func escape(
    _ text: RawSpan, from start: Int, into target: inout MutableRawSpan, at end: Int
  ) -> (cursor: Int, length: Int) {
    var cursor = start
    var length = end
    let count = text.byteCount
    let room = target.byteCount - step
    while cursor < count, length <= room {
      while cursor + 32 <= count, length <= room {
        let words = JSONWord.loadFour(text, at: cursor)
        target.storeBytes(of: words, toByteOffset: length, as: FourWords.self)
        if words.hasSpecial { break }
        length += 32
        cursor += 32
      }
      // This finds the special byte, if there is one.
      while cursor + 8 <= count, length <= room {
        let word = JSONWord.load(text, at: cursor)
        let special = JSONWord.specials(in: word)
        target.storeBytes(of: word.littleEndian, toByteOffset: length, as: UInt64.self)
        if special == 0 {
          // This is a branch, so that the next word is loaded before this one is examined.
          length += 8
          cursor += 8
          continue
        }
        let plain = special.trailingZeroBitCount >> 3
        length += plain
        cursor += plain
        break
      }
      guard cursor < count, length <= room else { break }
      let byte = text.unsafeLoad(fromByteOffset: cursor, as: UInt8.self)
      cursor += 1
      if JSONWord.isSpecial(byte) {
        length = escape(byte, into: &target, at: length)
      } else {
        target.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
        length += 1
      }
    }
    return (cursor, length)
  }

  /// Stores the escape of one byte, and returns the offset after it.
  @inline(__always)
  private static func escape(
    _ byte: UInt8, into target: inout MutableRawSpan, at offset: Int
  ) -> Int {
    let letter: UInt8
    switch byte {
    case 0x0A: letter = UInt8(ascii: "n")
    case 0x0D: letter = UInt8(ascii: "r")
    case 0x09: letter = UInt8(ascii: "t")
    case 0x08: letter = UInt8(ascii: "b")
    case 0x0C: letter = UInt8(ascii: "f")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
    default: return escapeControl(byte, into: &target, at: offset)
    }
    let pair = UInt16(letter) << 8 | UInt16(UInt8(ascii: "\\"))
    target.storeBytes(of: pair.littleEndian, toByteOffset: offset, as: UInt16.self)
    return offset + 2
  }

  @inline(never)
  private static func escapeControl(
    _ byte: UInt8, into target: inout MutableRawSpan, at offset: Int
  ) -> Int {
    var offset = offset
    for unit in "\\u00".utf8 {
      target.storeBytes(of: unit, toByteOffset: offset, as: UInt8.self)
      offset += 1
    }
    for digit in [byte >> 4, byte & 0xF] {
      let zero = digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10
      target.storeBytes(of: zero + digit, toByteOffset: offset, as: UInt8.self)
      offset += 1
    }
    return offset
  }
}
