extension CodeScanner {
  /// Returns whether the code goes on with these bytes.
  func has(_ mark: [UInt8]) -> Bool {
    bytes[index] == mark.first && bytes[index...].starts(with: mark)
  }

  func endOfLine(from start: Int) -> Int {
    bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
  }

  /// Returns whether a colon follows, behind blanks of the same line.
  func isBeforeColon() -> Bool {
    var next = index
    while next < bytes.count, bytes[next] == 0x20 || bytes[next] == 0x09 { next += 1 }
    return next < bytes.count && bytes[next] == UInt8(ascii: ":")
  }

  /// Returns whether what was passed is a key of YAML or of a file of settings.
  func isKey() -> Bool {
    var next = index
    while next < bytes.count, bytes[next] == 0x20 || bytes[next] == 0x09 { next += 1 }
    guard next < bytes.count else { return false }
    if bytes[next] == UInt8(ascii: "=") { return true }
    guard bytes[next] == UInt8(ascii: ":") else { return false }
    return next + 1 == bytes.count || bytes[next + 1] <= 0x20
  }

  /// Returns whether nothing but dashes and blanks stand before on the line, as before an item of YAML.
  func startsLine(_ start: Int) -> Bool {
    var previous = start
    // An indentation is looked at no further than any has a reason to be.
    while previous > 0, start - previous < 64 {
      let byte = bytes[previous - 1]
      if byte == UInt8(ascii: "\n") { return true }
      guard byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: "-") else { return false }
      previous -= 1
    }
    return previous == 0
  }

  func isInWord(_ byte: UInt8) -> Bool {
    Self.isWord(byte) || byte == UInt8(ascii: "-") && language.traits.contains(.dashes)
  }

  /// The index behind the next occurrence of a mark; the end of the bytes where there is none.
  static func end(of mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int {
    guard let first = mark.first else { return start }
    var index = start
    while index < bytes.count {
      guard let found = bytes[index...].firstIndex(of: first) else { return bytes.count }
      if bytes[found...].starts(with: mark) { return found + mark.count }
      index = found + 1
    }
    return bytes.count
  }

  /// Returns whether a byte belongs to a name. Those of other characters than ASCII do, so none of them is split.
  static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == UInt8(ascii: "_")
      || byte >= 0x80
  }

  static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

  /// Returns whether a byte belongs to a number such as `0xFF_u8`, `1.5e-3` or `12px`.
  static func isInNumber(_ byte: UInt8, after previous: UInt8) -> Bool {
    if isWord(byte) || byte == UInt8(ascii: ".") { return true }
    let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    return isSign && (previous | 0x20) == UInt8(ascii: "e")
  }

  /// Returns whether a word looks like the name of a type: a capital letter, and a small one somewhere.
  static func isType(_ word: ArraySlice<UInt8>) -> Bool {
    guard let first = word.first, 0x41...0x5A ~= first else { return false }
    return word.contains { 0x61...0x7A ~= $0 }
  }
}
