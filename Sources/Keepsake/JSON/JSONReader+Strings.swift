import KeepsakeFiles

extension JSONReader {
  /// Reads a string with its escapes decoded; half of a surrogate pair becomes U+FFFD.
  package mutating func string() throws(JSONError) -> String {
    position = skipSpace(position)
    guard byte(at: position) == UInt8(ascii: "\"") else { throw wrongKind(.string) }
    var extent = try string(at: position, upToEscape: true)
    if extent.hasEscape {
      if let text = textInOnePass(extent) { return text }
      extent = try string(at: position)
    }
    position = extent.end + 1
    return text(extent)
  }

  /// Checks and decodes a string at the same time from its first escape on, and moves behind it.
  ///
  /// The result is nil, and the position stays, if the string is faulty; the slow way then finds the fault. It is also nil if
  /// much text follows, because the buffer would need room for all of it.
  private mutating func textInOnePass(_ known: StringExtent) -> String? {
    let start = known.start
    guard count - start <= 65_536,
      let decoded = JSONEscapes.decode(
        bytes.extracting(start..<count), plain: known.end - start, into: &scratch),
      known.isASCII && decoded.isASCII || isUTF8
        || firstInvalidUTF8(from: start, to: start + decoded.quote) == nil
    else { return nil }
    position = start + decoded.quote + 1
    return String(validUTF8: scratch.span.bytes.extracting(0..<decoded.length), isASCII: false)
  }

  /// Reads a string as UTF-8, with its escapes decoded.
  mutating func stringBytes() throws(JSONError) -> [UInt8] { ownedBytes(try nextString()) }

  /// Reads a string, and passes its UTF-8 to a closure, with its escapes decoded. A string without escapes takes no memory.
  mutating func withString<Result>(_ body: (RawSpan) -> Result) throws(JSONError) -> Result {
    let string = try nextString()
    if string.hasEscape {
      let length = decode(string)
      return body(scratch.span.bytes.extracting(0..<length))
    }
    return body(bytes.extracting(string.start..<string.end))
  }

  private mutating func nextString() throws(JSONError) -> StringExtent {
    position = skipSpace(position)
    guard byte(at: position) == UInt8(ascii: "\"") else { throw wrongKind(.string) }
    let extent = try string(at: position)
    position = extent.end + 1
    return extent
  }
}

// MARK: - Checking

extension JSONReader {
  /// Checks the string whose opening quote is at an offset, or its part before the first escape.
  func string(at offset: Int, upToEscape: Bool = false) throws(JSONError) -> StringExtent {
    var cursor = offset + 1
    var hasEscape = false
    var seen: UInt64 = 0
    while true {
      var special: UInt64 = 0
      // The loop below finds which of the next bytes is special.
      cursor = JSONWord.passPlain(bytes, from: cursor, &seen)
      while cursor + 8 <= count {
        let word = JSONWord.load(bytes, at: cursor)
        special = JSONWord.specials(in: word)
        if special != 0 {
          seen |= word & (special &- 1)  // The bytes below the special byte.
          break
        }
        seen |= word
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
      if upToEscape { break }
      cursor = try endOfEscape(cursor)
    }
    let isASCII = seen & JSONWord.highBits == 0
    if !isASCII, !isUTF8, let fault = firstInvalidUTF8(from: offset + 1, to: cursor) {
      throw JSONError(.notUTF8, at: fault)
    }
    return StringExtent(start: offset + 1, end: cursor, hasEscape: hasEscape, isASCII: isASCII)
  }

  /// Checks the string whose opening quote is at an offset, and returns the offset after the string.
  @inline(__always)
  func endOfString(_ offset: Int) throws(JSONError) -> Int { try string(at: offset).end + 1 }

  @inline(__always)
  private func endOfEscape(_ offset: Int) throws(JSONError) -> Int {
    switch byte(at: offset + 1) {
    case UInt8(ascii: "n"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"),
      UInt8(ascii: "t"), UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"):
      return offset + 2
    case UInt8(ascii: "u"):
      for index in offset + 2..<offset + 6 where JSONEscapes.digit(byte(at: index)) == nil {
        throw fault(.shortUnicodeEscape, at: index)
      }
      return offset + 6
    default: throw fault(.unknownEscape, at: offset + 1)
    }
  }
}

// MARK: - Decoding

extension JSONReader {
  /// Returns the text of a checked string.
  mutating func text(_ string: StringExtent) -> String {
    if string.hasEscape {
      if string.end - string.start > Self.scratchLimit { return textWithoutScratch(string) }
      let length = decode(string)
      return String(validUTF8: scratch.span.bytes.extracting(0..<length), isASCII: false)
    }
    return String(
      validUTF8: bytes.extracting(string.start..<string.end), isASCII: string.isASCII)
  }

  /// The length above which strings are decoded directly into the result, because the buffer would need as much memory again.
  private static var scratchLimit: Int { 1 << 20 }

  private func textWithoutScratch(_ string: StringExtent) -> String {
    let escaped = bytes.extracting(string.start..<string.end + 1)
    return String(writingUTF8: escaped.byteCount + JSONEscapes.room) { target in
      JSONEscapes.decode(escaped, into: &target)?.length ?? 0
    }
  }

  /// Returns the UTF-8 of a checked string.
  mutating func ownedBytes(_ string: StringExtent) -> [UInt8] {
    if string.hasEscape {
      let length = decode(string)
      return Array(scratch[..<length])
    }
    return Array(copying: bytes.extracting(string.start..<string.end))
  }

  /// Decodes a checked string into the scratch buffer, and returns its length there.
  mutating func decode(_ string: StringExtent) -> Int {
    let decoded = JSONEscapes.decode(
      bytes.extracting(string.start..<string.end + 1), into: &scratch)
    return decoded?.length ?? 0
  }
}
