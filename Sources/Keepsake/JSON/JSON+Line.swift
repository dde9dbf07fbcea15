extension JSON {
  /// Returns the text of a value on one line, for formats with a record on each line; strings stay as they are.
  ///
  /// Valid JSON has no line break inside of a string, so each line break is between two tokens, and is removed together with
  /// the indentation after it. The text must be valid JSON.
  package static func onOneLine(_ bytes: [UInt8]) -> [UInt8] {
    guard hasLineBreaks(bytes) else { return bytes }
    var line: [UInt8] = []
    line.reserveCapacity(bytes.count)
    var isMargin = false
    for byte in bytes {
      if isLineBreak(byte) {
        isMargin = true
      } else if !isMargin || (byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t")) {
        isMargin = false
        line.append(byte)
      }
    }
    return line
  }

  /// Returns whether a text has more than one line.
  static func hasLineBreaks(_ bytes: [UInt8]) -> Bool { bytes.contains(where: isLineBreak) }

  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
