import Files

extension JSONReader {
  /// Reads a string, its escapes decoded; half of a surrogate pair becomes U+FFFD.
  package mutating func string() throws(JSONError) -> String {
    let start = try beginString()
    let end = try decodeString(from: start)
    position = end.quote + 1
    let text =
      end.hasEscape
      ? String(validatingUTF8: scratch.span.bytes)
      : String(validatingUTF8: bytes.extracting(start..<end.quote))
    guard let text else {
      throw JSONError(.notUTF8, at: firstInvalidUTF8(from: start, to: end.quote) ?? start)
    }
    return text
  }

  /// Reads a string as UTF-8, its escapes decoded.
  mutating func stringBytes() throws(JSONError) -> [UInt8] {
    let start = try beginString()
    let end = try decodeString(from: start)
    if !isUTF8, let fault = firstInvalidUTF8(from: start, to: end.quote) {
      throw JSONError(.notUTF8, at: fault)
    }
    position = end.quote + 1
    return end.hasEscape ? scratch : Array(copying: bytes.extracting(start..<end.quote))
  }

  private mutating func beginString() throws(JSONError) -> Int {
    position = skipSpace(position)
    guard byte(at: position) == UInt8(ascii: "\"") else { throw wrongKind(.string) }
    return position + 1
  }

  /// The current key with its escapes decoded, which is left in the scratch buffer as well.
  mutating func decodedKey() -> [UInt8] {
    // The key was checked when it was passed, so this can't fail; if it could, no key is empty text
    // with an escape, and the answer would match nothing.
    do throws(JSONError) { _ = try decodeString(from: keyStart) } catch { scratch = [] }
    return scratch
  }

  /// Finds the closing quote of the string that begins at `start`. When there is an escape in it,
  /// the decoded bytes are in the scratch buffer; else nothing is copied.
  private mutating func decodeString(
    from start: Int
  ) throws(JSONError) -> (quote: Int, hasEscape: Bool) {
    var hasEscape = false
    var run = start
    while true {
      let stop = nextSpecial(run)
      let special = byte(at: stop)
      if special == UInt8(ascii: "\"") {
        if hasEscape { scratch.append(copying: bytes.extracting(run..<stop)) }
        return (stop, hasEscape)
      }
      guard special == UInt8(ascii: "\\") else { throw fault(.controlCharacter, at: stop) }
      if !hasEscape {
        hasEscape = true
        scratch.removeAll(keepingCapacity: true)
      }
      scratch.append(copying: bytes.extracting(run..<stop))
      run = try decodeEscape(at: stop)
    }
  }

  /// Appends what the escape at an offset stands for, and returns the offset behind it.
  private mutating func decodeEscape(at offset: Int) throws(JSONError) -> Int {
    switch byte(at: offset + 1) {
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "\""): scratch.append(0x22)
    case UInt8(ascii: "\\"): scratch.append(0x5C)
    case UInt8(ascii: "/"): scratch.append(0x2F)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case UInt8(ascii: "u"): return try decodeUnicodeEscape(at: offset)
    default: throw fault(.unknownEscape, at: offset + 1)
    }
    return offset + 2
  }

  private mutating func decodeUnicodeEscape(at offset: Int) throws(JSONError) -> Int {
    let unit = try hexadecimal(at: offset + 2)
    var end = offset + 6
    var value = unit
    if unit & 0xFC00 == 0xD800, byte(at: end) == UInt8(ascii: "\\"),
      byte(at: end + 1) == UInt8(ascii: "u")
    {
      let low = try hexadecimal(at: end + 2)
      if low & 0xFC00 == 0xDC00 {
        value = 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
        end += 6
      }
    }
    let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
    scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    return end
  }

  private func hexadecimal(at offset: Int) throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for index in offset..<offset + 4 {
      guard let digit = hexadecimalDigit(byte(at: index)) else {
        throw fault(.shortUnicodeEscape, at: index)
      }
      value = value << 4 | digit
    }
    return value
  }

  @inline(__always)
  private func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// The offset of the next quote, backslash or control character, or the end of the text.
  @inline(__always)
  private func nextSpecial(_ offset: Int) -> Int {
    var offset = offset
    while offset + 8 <= count {
      let special = JSONWord.specials(in: JSONWord.load(bytes, at: offset))
      if special != 0 { return offset + special.trailingZeroBitCount >> 3 }
      offset += 8
    }
    while offset < count, !JSONWord.isSpecial(byte(at: offset)) { offset += 1 }
    return offset
  }

  /// Checks the string whose opening quote is at an offset, and returns the offset behind it.
  @inline(__always)
  func endOfString(_ offset: Int) throws(JSONError) -> Int {
    var hasEscape = false
    return try endOfString(offset, hasEscape: &hasEscape)
  }

  func endOfString(_ offset: Int, hasEscape: inout Bool) throws(JSONError) -> Int {
    hasEscape = false
    var cursor = offset + 1
    var seen: UInt64 = 0
    while true {
      var special: UInt64 = 0
      while cursor + 8 <= count {
        let word = JSONWord.load(bytes, at: cursor)
        special = JSONWord.specials(in: word)
        seen |= word
        if special != 0 { break }
        cursor += 8
      }
      if special != 0 {
        cursor += special.trailingZeroBitCount >> 3
      } else {
        while cursor < count, !JSONWord.isSpecial(byte(at: cursor)) {
          seen |= UInt64(byte(at: cursor))
          cursor += 1
        }
      }
      let stop = byte(at: cursor)
      if stop == UInt8(ascii: "\"") { break }
      guard stop == UInt8(ascii: "\\") else { throw fault(.controlCharacter, at: cursor) }
      hasEscape = true
      cursor = try endOfEscape(cursor)
    }
    // Bytes behind the quote may have been seen as well: then the check is needless, not wrong.
    if !isUTF8, seen & JSONWord.highBits != 0,
      let fault = firstInvalidUTF8(from: offset + 1, to: cursor)
    {
      throw JSONError(.notUTF8, at: fault)
    }
    return cursor + 1
  }

  @inline(__always)
  private func endOfEscape(_ offset: Int) throws(JSONError) -> Int {
    switch byte(at: offset + 1) {
    case UInt8(ascii: "n"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"),
      UInt8(ascii: "t"), UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"):
      return offset + 2
    case UInt8(ascii: "u"):
      _ = try hexadecimal(at: offset + 2)
      return offset + 6
    default: throw fault(.unknownEscape, at: offset + 1)
    }
  }
}
