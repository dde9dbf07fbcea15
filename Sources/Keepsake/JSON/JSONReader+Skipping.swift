import KeepsakeFiles

extension JSONReader {
  /// Skips one value, checks all of it, and returns its range.
  ///
  /// This works without recursion, in constant memory.
  @discardableResult
  package mutating func skipValue() throws(JSONError) -> Range<Int> {
    let start = skipSpace(position)
    position = isValid ? try endOfValidValue(start) : try endOfValue(start)
    return start..<position
  }

  /// Reads any value as its text.
  package mutating func rawValue() throws(JSONError) -> JSON {
    let range = try skipValue()
    return JSON(unchecked: Array(copying: bytes.extracting(range)))
  }

  private func endOfValue(_ start: Int) throws(JSONError) -> Int {
    var open = OpenBrackets()
    var isObject = false
    var cursor = start
    value: while true {
      let first = byte(at: cursor)
      switch first {
      case UInt8(ascii: "\""):
        cursor = try endOfString(cursor)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth + open.count < depthLimit else {
          throw JSONError(.tooDeep(limit: depthLimit), at: cursor)
        }
        isObject = first == UInt8(ascii: "{")
        open.push(isObject: isObject)
        cursor = skipSpace(cursor + 1)
        if byte(at: cursor) == first + 2 {  // '{' and '}', '[' and ']' are two apart
          cursor += 1
          isObject = open.pop()
        } else {
          if isObject { cursor = try endOfKey(cursor) }
          continue value
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        cursor = try endOfNumber(cursor)
      default:
        cursor = try endOfLiteral(cursor)
      }
      while open.count > 0 {
        cursor = skipSpace(cursor)
        let next = byte(at: cursor)
        if next == UInt8(ascii: ",") {
          cursor = skipSpace(cursor + 1)
          if isObject { cursor = try endOfKey(cursor) }
          continue value
        }
        guard next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw fault(isObject ? .noCommaInObject : .noCommaInArray, at: cursor)
        }
        cursor += 1
        isObject = open.pop()
      }
      return cursor
    }
  }

  /// Checks a key and its colon, and returns the offset of the value.
  @inline(__always)
  private func endOfKey(_ offset: Int) throws(JSONError) -> Int {
    guard byte(at: offset) == UInt8(ascii: "\"") else { throw fault(.noKey, at: offset) }
    let colon = skipSpace(try endOfString(offset))
    guard byte(at: colon) == UInt8(ascii: ":") else { throw fault(.noColon, at: colon) }
    return skipSpace(colon + 1)
  }

  /// Checks `true`, `false` or `null`, and returns the end; throws for anything else.
  func endOfLiteral(_ offset: Int) throws(JSONError) -> Int {
    let literal: String
    switch byte(at: offset) {
    case UInt8(ascii: "t"): literal = "true"
    case UInt8(ascii: "f"): literal = "false"
    case UInt8(ascii: "n"): literal = "null"
    default: throw fault(.noValue, at: offset)
    }
    var cursor = offset
    for expected in literal.utf8 {
      guard byte(at: cursor) == expected else { throw fault(.noValue, at: cursor) }
      cursor += 1
    }
    return cursor
  }

  /// Checks a number against the grammar, and returns its end.
  @inline(__always)
  func endOfNumber(_ offset: Int) throws(JSONError) -> Int {
    var cursor = offset
    if byte(at: cursor) == UInt8(ascii: "-") { cursor += 1 }
    if byte(at: cursor) == UInt8(ascii: "0") {
      cursor += 1
      guard !isDigit(byte(at: cursor)) else { throw fault(.leadingZero, at: cursor - 1) }
    } else {
      cursor = try endOfDigits(cursor)
    }
    if byte(at: cursor) == UInt8(ascii: ".") { cursor = try endOfDigits(cursor + 1) }
    if byte(at: cursor) | 0x20 == UInt8(ascii: "e") {
      cursor += 1
      let sign = byte(at: cursor)
      if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { cursor += 1 }
      cursor = try endOfDigits(cursor)
    }
    return cursor
  }

  @inline(__always)
  func endOfDigits(_ offset: Int) throws(JSONError) -> Int {
    guard isDigit(byte(at: offset)) else { throw fault(.noDigit, at: offset) }
    var cursor = offset + 1
    while isDigit(byte(at: cursor)) { cursor += 1 }
    return cursor
  }

  @inline(__always)
  func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// Returns the end of a value that is known to be valid, for which only brackets and strings matter.
  private func endOfValidValue(_ start: Int) throws(JSONError) -> Int {
    switch byte(at: start) {
    case UInt8(ascii: "\""): return try endOfString(start)
    case UInt8(ascii: "{"), UInt8(ascii: "["): break
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try endOfNumber(start)
    default: return try endOfLiteral(start)
    }
    var open = 0
    var cursor = start
    repeat {
      guard cursor < count else { throw fault(.endsEarly, at: cursor) }
      switch byte(at: cursor) {
      case UInt8(ascii: "\""):
        cursor = try endOfString(cursor)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): open -= 1
      default: break
      }
      cursor += 1
    } while open > 0
    return cursor
  }
}

/// The kind of each open bracket, a bit for each, in a fixed amount of memory.
private struct OpenBrackets {
  private var bits = SIMD16<UInt64>.zero
  private(set) var count = 0

  @inline(__always)
  mutating func push(isObject: Bool) {
    let bit: UInt64 = 1 << UInt64(count & 63)
    if isObject { bits[count >> 6] |= bit } else { bits[count >> 6] &= ~bit }
    count += 1
  }

  /// Closes the innermost bracket, and returns whether the one around it is an object.
  @inline(__always)
  mutating func pop() -> Bool {
    count -= 1
    guard count > 0 else { return false }
    return bits[(count - 1) >> 6] >> UInt64((count - 1) & 63) & 1 == 1
  }
}
