/// Prepares a text that somebody wrote in Markdown for standing inside of a document of Keepsake's.
///
/// The text keeps its form: emphasis, lists, tables and code. But it can neither end nor imitate the structure around
/// it. Headings are lowered by two levels, an open fence is closed, HTML is shown as text, and so are definitions of
/// links and footnotes, which would apply to the whole document.
///
/// Code must stay unchanged, and what only looks like code must not. So a fence counts as a fence only where every
/// reader of CommonMark takes it for one, and is shown as text elsewhere.
struct MarkdownText {
  private var lines: [[UInt8]] = []
  private var blocks = MarkdownBlocks()
  private var spans = MarkdownSpans()
  private var fence: Fence?

  private struct Fence {
    let mark: UInt8
    let length: Int
    /// The column at which the content of the enclosing list item begins. A line further left ends the item and the
    /// fence.
    let column: Int
  }

  /// Adds a text. `
  /// `, `\r` and `\r
  /// ` each count as one line break.
  mutating func add(_ text: String) {
    let bytes = Array(Markdown.visible(text).utf8)
    var start = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
        index += 1
        continue
      }
      add(bytes[start..<index])
      index +=
        byte == UInt8(ascii: "\r") && bytes[(index + 1)...].first == UInt8(ascii: "\n") ? 2 : 1
      start = index
    }
    add(bytes[start...])
  }

  /// The prepared text, without blank lines at its beginning and end.
  mutating func finish() -> String {
    while lines.last.map({ $0.allSatisfy(\.isMarkdownSpace) }) ?? false, fence == nil {
      lines.removeLast()
    }
    if let fence {
      lines.append(
        Array(repeating: 0x20, count: fence.column)
          + Array(repeating: fence.mark, count: fence.length))
    }
    let start = lines.firstIndex { !$0.allSatisfy(\.isMarkdownSpace) } ?? lines.endIndex
    return String(decoding: Array(lines[start...].joined(separator: [0x0A])), as: UTF8.self)
  }

  // MARK: - Lines

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    let indent = MarkdownIndent(bytes)
    if indent.isBlank {
      if fence == nil { endParagraph() }
      lines.append(Array(bytes))
      return
    }
    if let fence {
      if indent.column >= fence.column {
        if closes(fence, indent) { self.fence = nil }
        lines.append(Array(bytes))
        return
      }
      self.fence = nil
    }
    if underlines(indent) {
      // The line would underline the text above it as a heading. A blank line between them makes it a rule, or text.
      lines.append(indent.rest.prefix { $0 == UInt8(ascii: ">") || $0 == 0x20 }.map { $0 })
      endParagraph()
    }
    let line = blocks.line(indent)
    if line.isCode {
      lines.append(Array(bytes))
      return
    }
    lines.append(Array(bytes[..<line.rest.startIndex]) + content(line))
  }

  private mutating func endParagraph() {
    blocks.endParagraph()
    spans.endParagraph()
  }

  /// The content of a line after the marks of lists and quotes, made harmless.
  private mutating func content(_ line: MarkdownBlocks.Line) -> [UInt8] {
    if let (mark, length) = Self.fence(line.rest), !line.isQuoted, !line.isDeep || !line.isCertain {
      if line.isCertain {
        fence = Fence(mark: mark, length: length, column: line.column)
        spans.endParagraph()
        return Array(line.rest)
      }
      let escaped = (0..<length).flatMap { _ in [UInt8(ascii: "\\"), mark] }
      return escaped + spans.safe(line.rest.dropFirst(length))
    }
    var content = spans.safe(line.rest)
    if line.isDeep, line.isCertain { return content }
    let level = line.rest.prefix { $0 == UInt8(ascii: "#") }.count
    if 1...6 ~= level, line.rest.dropFirst(level).first.map(\.isMarkdownSpace) ?? true {
      content.insert(
        contentsOf: Array(repeating: UInt8(ascii: "#"), count: min(2, 6 - level)), at: 0)
    }
    if Self.defines(line.rest) { content.insert(UInt8(ascii: "\\"), at: 0) }
    return content
  }

  // MARK: - What a line may be

  /// The fence at the beginning of a line; nil where there is none.
  private static func fence(_ rest: ArraySlice<UInt8>) -> (mark: UInt8, length: Int)? {
    guard let mark = rest.first, mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else {
      return nil
    }
    let length = rest.prefix { $0 == mark }.count
    guard length >= 3 else { return nil }
    // Inline code may begin with three backticks as well, but then more backticks follow on the line.
    if mark == UInt8(ascii: "`"), rest.dropFirst(length).contains(mark) { return nil }
    return (mark, length)
  }

  private func closes(_ fence: Fence, _ indent: MarkdownIndent) -> Bool {
    guard indent.column - fence.column <= 3 else { return false }
    let length = indent.rest.prefix { $0 == fence.mark }.count
    return length >= fence.length
      && indent.rest.dropFirst(length).allSatisfy(\.isMarkdownSpace)
  }

  /// Returns whether a line would turn the line above it into a heading.
  private func underlines(_ indent: MarkdownIndent) -> Bool {
    guard !blocks.isAfterBlank else { return false }
    let rest = indent.rest.drop { $0 == UInt8(ascii: ">") || $0.isMarkdownSpace }
    guard let mark = rest.first, mark == UInt8(ascii: "=") || mark == UInt8(ascii: "-") else {
      return false
    }
    return rest.drop { $0 == mark }.allSatisfy(\.isMarkdownSpace)
  }

  /// Returns whether a line may begin the definition of a link or a footnote.
  private static func defines(_ rest: ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: "[") else { return false }
    var isEscaped = false
    for (index, byte) in zip(rest.indices, rest).dropFirst() {
      if byte == UInt8(ascii: "]"), !isEscaped {
        return rest[(index + 1)...].first == UInt8(ascii: ":")
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return true
  }
}

extension UInt8 {
  var isMarkdownSpace: Bool { self == 0x20 || self == 0x09 }
}
