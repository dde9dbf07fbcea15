/// Recognizes the kinds of Markdown blocks by the beginning of a line.
enum MarkdownBlock {
  /// Returns a line without its quotation marks, and their number.
  static func unquoted(_ line: Substring, most: Int) -> (quotes: Int, line: Substring) {
    var rest = line
    var quotes = 0
    while quotes < most {
      let blanks = rest.prefix(4).prefix { $0 == " " }
      let marked = rest[blanks.endIndex...]
      guard blanks.count < 4, marked.first == ">" else { break }
      quotes += 1
      rest = marked.dropFirst()
      if rest.first == " " { rest = rest.dropFirst() }
    }
    return (quotes, rest)
  }

  static func fence(_ line: Substring) -> (mark: Character, count: Int)? {
    guard let mark = line.first, mark == "`" || mark == "~" else { return nil }
    let count = line.prefix { $0 == mark }.count
    // If more backticks follow on the same line, the backticks are inline code and not a fence.
    guard count >= 3, mark == "~" || !line.dropFirst(count).contains("`") else { return nil }
    return (mark, count)
  }

  static func isRule(_ line: Substring) -> Bool {
    guard let mark = line.first, mark == "-" || mark == "*" || mark == "_" else { return false }
    var count = 0
    for character in line {
      if character == mark { count += 1 } else if character != " " { return false }
    }
    return count >= 3
  }

  static func heading(_ line: Substring) -> (level: Int, text: Substring)? {
    let level = line.prefix(7).prefix { $0 == "#" }.count
    let rest = line.dropFirst(level)
    guard 1...6 ~= level, rest.first == " " else { return nil }
    var text = rest.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    let bare = text.reversed().drop { $0 == "#" }
    if bare.first == " " { text = text.prefix(bare.count) }
    while text.last == " " { text.removeLast() }
    return (level, text)
  }

  /// Returns the bullet and the text of a list item; nil for other lines.
  static func item(_ line: Substring) -> (head: String, text: Substring)? {
    guard let first = line.first else { return nil }
    if first == "-" || first == "*" || first == "+" {
      let rest = line.dropFirst()
      guard rest.first == " " else { return nil }
      let text = rest.drop { $0 == " " }
      for (mark, box) in [("[ ] ", "☐ "), ("[x] ", "☑ "), ("[X] ", "☑ ")] where text.hasPrefix(mark)
      {
        return (box, text.dropFirst(mark.count))
      }
      return ("• ", text)
    }
    let number = line.prefix(10).prefix { $0.isASCII && $0.isNumber }
    let rest = line[number.endIndex...]
    guard 1...9 ~= number.count, rest.first == "." || rest.first == ")",
      rest.dropFirst().first == " "
    else { return nil }
    return ("\(number)\(rest.prefix(1)) ", rest.dropFirst().drop { $0 == " " })
  }
}
