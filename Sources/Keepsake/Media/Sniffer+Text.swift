/// Sniffing of text, and of formats that are written as text.
extension Sniffer {
  func text() -> MediaType? {
    if has([0xFF, 0xFE]) { return utf16(isBigEndian: false) }
    if has([0xFE, 0xFF]) { return utf16(isBigEndian: true) }
    let start = has([0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard isUTF8(from: start) else { return nil }
    return TextSniffer(text: bytes[start...], isWhole: isWhole).mediaType()
  }

  /// Returns whether a byte is a control character that no text contains; tabs, line and page breaks, and escapes are allowed.
  private static func isBinary(_ byte: UInt8) -> Bool {
    byte < 0x20 && !byte.isBlank && byte != 0x0C && byte != 0x1B
  }

  private func isUTF8(from start: Int) -> Bool {
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x80 {
        if Self.isBinary(byte) { return false }
        index += 1
        continue
      }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      guard 0xC2...0xF4 ~= byte else { return false }
      for step in 1..<length {
        // A character may be cut off if the head is only a part of the bytes.
        guard index + step < bytes.count else { return !isWhole }
        let next = bytes[index + step]
        guard next & 0xC0 == 0x80 else { return false }
        guard step == 1 else { continue }
        // These are overlong forms, surrogates, and values beyond U+10FFFF.
        switch byte {
        case 0xE0 where next < 0xA0, 0xED where next > 0x9F: return false
        case 0xF0 where next < 0x90, 0xF4 where next > 0x8F: return false
        default: break
        }
      }
      index += length
    }
    return true
  }

  /// Decodes UTF-16 with a byte order mark and sniffs the text, because XML and CSV occur in it too.
  private func utf16(isBigEndian: Bool) -> MediaType? {
    guard bytes.count % 2 == 0 || !isWhole else { return nil }
    var units: [UInt16] = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (high, low) = isBigEndian ? (index, index + 1) : (index + 1, index)
      return UInt16(bytes[high]) << 8 | UInt16(bytes[low])
    }
    if !isWhole, let last = units.last, last & 0xFC00 == 0xD800 { units.removeLast() }
    var text: [UInt8] = []
    var decoder = UTF16()
    var iterator = units.makeIterator()
    decoding: while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar):
        if scalar.value < 0x20, Self.isBinary(UInt8(scalar.value)) { return nil }
        text += String(scalar).utf8
      case .emptyInput: break decoding
      case .error: return nil
      }
    }
    return TextSniffer(text: text[...], isWhole: isWhole).mediaType()
  }
}
