import Files

/// Writes minified JSON, value by value, and puts the commas itself.
///
/// Brackets and keys must be given in an order that makes sense; that is not checked.
package struct JSONWriter: Sendable {
  /// What is written so far, in UTF-8.
  package private(set) var bytes: [UInt8]

  /// Whether the next key or element has one before it.
  private var needsComma = false

  package init(reserving capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Writes a key of ours, which must need no escape.
  package mutating func key(_ key: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(copying: key)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes any key.
  package mutating func key(escaping key: String) {
    string(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string, escaping quotes, backslashes and control characters only.
  package mutating func string(_ value: some StringProtocol) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    value.withUTF8Bytes { appendEscaped($0) }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
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

  /// Writes the shortest spelling that reads as the same double.
  /// - Throws: when the value is infinite or not a number; nothing is written then.
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

  /// Writes a value in its own text.
  package mutating func raw(_ value: JSON) {
    separate()
    needsComma = true
    bytes.append(contentsOf: value.bytes)
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
    let count = text.byteCount
    var run = 0
    var cursor = 0
    while true {
      var special: UInt64 = 0
      while cursor + 8 <= count {
        special = JSONWord.specials(in: JSONWord.load(text, at: cursor))
        if special != 0 { break }
        cursor += 8
      }
      if special != 0 {
        cursor += special.trailingZeroBitCount >> 3
      } else {
        while cursor < count,
          !JSONWord.isSpecial(text.unsafeLoad(fromByteOffset: cursor, as: UInt8.self))
        {
          cursor += 1
        }
      }
      if run < cursor { bytes.append(copying: text.extracting(run..<cursor)) }
      if cursor == count { return }
      appendEscape(text.unsafeLoad(fromByteOffset: cursor, as: UInt8.self))
      cursor += 1
      run = cursor
    }
  }

  private mutating func appendEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): bytes.append(copying: #"\""#)
    case UInt8(ascii: "\\"): bytes.append(copying: #"\\"#)
    case 0x0A: bytes.append(copying: #"\n"#)
    case 0x0D: bytes.append(copying: #"\r"#)
    case 0x09: bytes.append(copying: #"\t"#)
    case 0x08: bytes.append(copying: #"\b"#)
    case 0x0C: bytes.append(copying: #"\f"#)
    default:
      bytes.append(copying: #"\u00"#)
      bytes.append(hexadecimal(byte >> 4))
      bytes.append(hexadecimal(byte & 0xF))
    }
  }

  private func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
