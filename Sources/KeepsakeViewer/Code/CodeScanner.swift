/// Takes code apart into pieces that have a colour and pieces that have none, in one pass.
///
/// Every byte is passed once, whatever the code is: what does not end is taken to its line's end, or to the code's. A
/// piece begins and ends at characters of ASCII, so no character of the text is ever split.
struct CodeScanner {
  /// The number of coloured pieces above which the rest of the code has no colour.
  static let tokenLimit = 6000

  let bytes: [UInt8]
  let language: CodeLanguage
  private(set) var index = 0
  /// The last byte that was no blank; 0 at the beginning of a line.
  private var before: UInt8 = 0
  /// Whether a word, a number or a closing bracket stands before, so that a slash divides.
  private var isAfterValue = false
  private var braces = 0
  /// Up to here no pattern ends, and none has to be looked for.
  private var noPattern = 0

  init(_ code: String, as language: CodeLanguage) {
    bytes = Array(code.utf8)
    self.language = language
  }

  /// Gives the pieces in their order. Together they are the code.
  static func forEach(
    in code: String, as language: CodeLanguage, _ body: (ArraySlice<UInt8>, CodeToken?) -> Void
  ) {
    switch language.reading {
    case .words:
      var scanner = CodeScanner(code, as: language)
      scanner.scan(body)
    case .markup: MarkupScanner.forEach(in: Array(code.utf8), body)
    case .patch: PatchScanner.forEach(in: Array(code.utf8), body)
    }
  }

  private mutating func scan(_ body: (ArraySlice<UInt8>, CodeToken?) -> Void) {
    var plain = 0
    var count = 0
    while index < bytes.count, count < Self.tokenLimit {
      let start = index
      guard let token = next() else { continue }
      if plain < start { body(bytes[plain..<start], nil) }
      body(bytes[start..<index], token)
      plain = index
      count += 1
    }
    if plain < bytes.count { body(bytes[plain...], nil) }
  }

  /// Passes the next piece, and says what it is; nil where it has no colour.
  private mutating func next() -> CodeToken? {
    let byte = bytes[index]
    if byte == UInt8(ascii: "\n") {
      index += 1
      before = 0
      isAfterValue = false
      return nil
    }
    if byte == 0x20 || byte == 0x09 || byte == 0x0D {
      index += 1
      return nil
    }
    if let token = comment() ?? string() ?? mark(byte) { return token }
    if Self.isDigit(byte) { return number() }
    if Self.isWord(byte) { return word() }
    if byte == UInt8(ascii: "/"), language.traits.contains(.patterns), let token = pattern() {
      return token
    }
    if byte == UInt8(ascii: "{") { braces += 1 }
    if byte == UInt8(ascii: "}") { braces -= 1 }
    pass(byte)
    isAfterValue = byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]")
    return nil
  }

  private mutating func pass(_ byte: UInt8) {
    before = byte
    index += 1
  }

  // MARK: - Comments and strings

  private mutating func comment() -> CodeToken? {
    if let (begin, end) = language.blockComment, has(begin) {
      index = Self.end(of: end, in: bytes, from: index + begin.count)
      return .comment
    }
    for mark in language.lineComments where has(mark) {
      let isSpaced = index == 0 || bytes[index - 1] <= 0x20
      if language.traits.contains(.spacedComments), !isSpaced { continue }
      index = endOfLine(from: index)
      return .comment
    }
    return nil
  }

  private mutating func string() -> CodeToken? {
    guard let quote = language.quotes.first(where: { has($0.mark) }) else { return nil }
    // In YAML an apostrophe within a word is one.
    if language.traits.contains(.lineKeys), Self.isWord(before), index > 0,
      bytes[index - 1] > 0x20
    {
      return nil
    }
    if language.traits.contains(.lifetimes), quote.mark == [UInt8(ascii: "'")], !isCharacter() {
      return nil
    }
    passString(quote)
    before = UInt8(ascii: "\"")
    isAfterValue = true
    return language.traits.contains(.stringKeys) && isBeforeColon() ? .key : .string
  }

  private mutating func passString(_ quote: CodeLanguage.Quote) {
    index += quote.mark.count
    var depth = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n"), !quote.isLong { return }
      if byte == UInt8(ascii: "\\"), quote.hasEscapes, index + 1 < bytes.count {
        let isCode = bytes[index + 1] == UInt8(ascii: "(")
        if isCode, language.traits.contains(.interpolation) { depth += 1 }
        // A line break ends a short string, also behind a backslash.
        index += bytes[index + 1] == UInt8(ascii: "\n") && !quote.isLong ? 1 : 2
        continue
      }
      if depth > 0 {
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") { depth -= 1 }
      } else if has(quote.mark) {
        index += quote.mark.count
        return
      }
      index += 1
    }
    index = bytes.count
  }

  private func isCharacter() -> Bool {
    guard index + 2 < bytes.count else { return false }
    return bytes[index + 1] == UInt8(ascii: "\\") || bytes[index + 2] == UInt8(ascii: "'")
  }

  /// Passes a pattern of JavaScript, such as `/a+/g`. It ends on its line, or a slash is only a slash.
  private mutating func pattern() -> CodeToken? {
    guard !isAfterValue, index >= noPattern else { return nil }
    var end = index + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
      let isEscape = bytes[end] == UInt8(ascii: "\\")
      if isEscape, end + 1 < bytes.count, bytes[end + 1] != UInt8(ascii: "\n") {
        end += 2
        continue
      }
      if bytes[end] == UInt8(ascii: "/") {
        index = end + 1
        while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
        before = UInt8(ascii: "/")
        isAfterValue = true
        return .string
      }
      end += 1
    }
    noPattern = end
    return nil
  }

  // MARK: - Words and numbers

  private mutating func number() -> CodeToken? {
    let start = index
    while index < bytes.count, Self.isInNumber(bytes[index], after: bytes[max(start, index - 1)]) {
      index += 1
    }
    before = UInt8(ascii: "0")
    isAfterValue = true
    return .number
  }

  private mutating func word() -> CodeToken? {
    let start = index
    let isFirst = before == 0 || before == UInt8(ascii: "-") && startsLine(start)
    while index < bytes.count, isInWord(bytes[index]) { index += 1 }
    let previous = before
    before = bytes[index - 1]
    let word = bytes[start..<index]
    let traits = language.traits
    if traits.contains(.lineKeys), isFirst, isKey() { return .key }
    if traits.contains(.properties), braces > 0, isBeforeColon(),
      [0, UInt8(ascii: "{"), UInt8(ascii: ";"), UInt8(ascii: "}")].contains(previous)
    {
      return .key
    }
    if word.count <= 24, previous != UInt8(ascii: "."), isKeyword(word) {
      isAfterValue = false
      return .keyword
    }
    isAfterValue = true
    return traits.contains(.capitalTypes) && Self.isType(word) ? .name : nil
  }

  private func isKeyword(_ word: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: word, as: UTF8.self)
    return language.keywords.contains(
      language.traits.contains(.caseless) ? text.lowercased() : text)
  }

  /// Passes what a mark begins: a variable, an attribute, a line for the preprocessor, a colour.
  private mutating func mark(_ byte: UInt8) -> CodeToken? {
    let traits = language.traits
    switch byte {
    case UInt8(ascii: "$") where traits.contains(.variables): return variable()
    case UInt8(ascii: "@") where traits.contains(.attributes): return marked(as: .keyword)
    case UInt8(ascii: "#") where traits.contains(.directives) && before == 0:
      return marked(as: .keyword)
    case UInt8(ascii: "#") where traits.contains(.properties) && braces > 0:
      return marked(as: .number)
    default: return nil
    }
  }

  private mutating func marked(as token: CodeToken) -> CodeToken? {
    let start = index
    index += 1
    while index < bytes.count, isInWord(bytes[index]) { index += 1 }
    before = bytes[index - 1]
    return index > start + 1 ? token : nil
  }

  private mutating func variable() -> CodeToken? {
    guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "{") else {
      return marked(as: .key)
    }
    while index < bytes.count, bytes[index] != UInt8(ascii: "}"), bytes[index] != 0x0A {
      index += 1
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: "}") { index += 1 }
    before = UInt8(ascii: "}")
    isAfterValue = true
    return .key
  }
}
