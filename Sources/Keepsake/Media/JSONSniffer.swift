/// Distinguishes JSON and JSON Lines from text that merely begins with a bracket.
///
/// A text is accepted if it follows the grammar up to the point where it is cut off. The nesting is kept in an array, so that a
/// thousand brackets do not need a deep stack.
struct JSONSniffer {
  let text: ArraySlice<UInt8>
  let isWhole: Bool

  func mediaType() -> MediaType? {
    var values = 0
    var index = skippingBlanks(from: text.startIndex)
    var isOneALine = true
    while index < text.endIndex {
      // A single number or word is valid JSON too, but hardly meant as such.
      guard text[index] == UInt8(ascii: "{") || text[index] == UInt8(ascii: "[") else { return nil }
      switch endOfValue(from: index) {
      case .invalid: return nil
      case .cutOff:
        if isWhole { return nil }
        return values > 0 && isOneALine ? .jsonLines : values == 0 ? .json : nil
      case .at(let end):
        values += 1
        isOneALine = isOneALine && !text[index..<end].contains(0x0A)
        let next = skippingBlanks(from: end)
        if next < text.endIndex, !text[end..<next].contains(0x0A) { return nil }
        index = next
      }
    }
    if values == 1 { return .json }
    return values > 1 && isOneALine ? .jsonLines : nil
  }

  private func skippingBlanks(from start: Int) -> Int {
    text[start...].firstIndex { !$0.isBlank } ?? text.endIndex
  }
}

extension JSONSniffer {
  /// The end of a value, or the reason why there is none.
  private enum End {
    case at(Int)
    case cutOff
    case invalid
  }

  /// The tokens that the grammar allows next.
  private enum Expected {
    case value
    case valueOrEnd
    case key
    case keyOrEnd
    case colon
    case commaOrEnd
  }

  /// Finds the end of the object or array that begins at `start`.
  private func endOfValue(from start: Int) -> End {
    var closers: [UInt8] = []
    var expected = Expected.value
    var index = start
    while index < text.endIndex {
      let byte = text[index]
      if byte.isBlank {
        index += 1
        continue
      }
      switch (expected, byte) {
      case (.value, 0x7B), (.valueOrEnd, 0x7B):  // {
        closers.append(0x7D)
        expected = .keyOrEnd
        index += 1
      case (.value, 0x5B), (.valueOrEnd, 0x5B):  // [
        closers.append(0x5D)
        expected = .valueOrEnd
        index += 1
      case (.commaOrEnd, _) where byte == closers.last, (.keyOrEnd, 0x7D), (.valueOrEnd, 0x5D):
        closers.removeLast()
        index += 1
        if closers.isEmpty { return .at(index) }
        expected = .commaOrEnd
      case (.commaOrEnd, UInt8(ascii: ",")):
        expected = closers.last == 0x7D ? .key : .value
        index += 1
      case (.colon, UInt8(ascii: ":")):
        expected = .value
        index += 1
      case (.key, 0x22), (.keyOrEnd, 0x22), (.value, 0x22), (.valueOrEnd, 0x22):  // "
        guard case .at(let end) = endOfString(from: index) else { return endOfString(from: index) }
        expected = expected == .key || expected == .keyOrEnd ? .colon : .commaOrEnd
        index = end
      case (.value, _), (.valueOrEnd, _):
        guard case .at(let end) = endOfWord(from: index) else { return endOfWord(from: index) }
        expected = .commaOrEnd
        index = end
      default: return .invalid
      }
    }
    return .cutOff
  }

  private func endOfString(from start: Int) -> End {
    var index = start + 1
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\""): return .at(index + 1)
      case UInt8(ascii: "\\"): index += 2
      case ..<0x20: return .invalid
      default: index += 1
      }
    }
    return .cutOff
  }

  /// Finds the end of a number, `true`, `false` or `null`.
  private func endOfWord(from start: Int) -> End {
    let word = text[start...].prefix { byte in
      byte.isASCIIDigit || byte.asciiLowercased &- 0x61 < 26 || "+-.".utf8.contains(byte)
    }
    guard let first = word.first else { return .invalid }
    if first.isASCIIDigit || first == UInt8(ascii: "-") {
      return word.allSatisfy { $0.isASCIIDigit || "+-.eE".utf8.contains($0) }
        ? (word.endIndex == text.endIndex ? .cutOff : .at(word.endIndex)) : .invalid
    }
    for name in ["true", "false", "null"] {
      if word.elementsEqual(name.utf8) { return .at(word.endIndex) }
      if word.endIndex == text.endIndex, name.utf8.starts(with: word) { return .cutOff }
    }
    return .invalid
  }
}
