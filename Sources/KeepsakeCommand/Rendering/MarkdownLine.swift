/// A line of Markdown with emphasis, code, links and escapes; marks that are never closed stay as written.
///
/// The time is proportional to the length of any line.
struct MarkdownLine {
  private let characters: [Character]
  /// Whether each character sets a style and is not shown.
  private var hidden: [Bool]
  /// Whether each character has no special meaning, because it is in code or after a backslash.
  private var literal: [Bool]
  private var isCode: [Bool]
  /// The change of each style's depth at each place.
  private var changes: [[Int]]
  /// The texts to add after characters, such as the destination of a link.
  private var additions: [Int: String] = [:]

  private static let spans: [StyledText.Style] = [.strong, .emphasis, .struck, .link]
  private static let special: Set<Character> = ["*", "_", "~", "`", "[", "\\"]

  /// Returns the styled text of a line, in which control characters have been made visible.
  static func styled(_ text: some Sequence<Character>, _ base: StyledText.Style = []) -> StyledText
  {
    let characters = Array(text)
    guard characters.contains(where: special.contains) else {
      var plain = StyledText()
      for character in characters { plain.append(character, base) }
      return plain
    }
    var line = MarkdownLine(characters)
    line.findCode()
    line.findLinks()
    line.findEmphasis()
    return line.text(base)
  }

  private init(_ characters: [Character]) {
    self.characters = characters
    hidden = Array(repeating: false, count: characters.count)
    literal = hidden
    isCode = hidden
    changes = Array(
      repeating: Array(repeating: 0, count: characters.count + 1), count: Self.spans.count)
  }

  private func text(_ base: StyledText.Style) -> StyledText {
    var result = StyledText()
    var depths = Array(repeating: 0, count: Self.spans.count)
    for (index, character) in characters.enumerated() {
      var style = base
      for span in Self.spans.indices {
        depths[span] += changes[span][index]
        if depths[span] > 0 { style.insert(Self.spans[span]) }
      }
      if isCode[index] { style.insert(.code) }
      if !hidden[index] { result.append(character, style) }
      if let addition = additions[index] { result.append(addition, base.union(.faint)) }
    }
    return result
  }

  private mutating func set(_ span: StyledText.Style, _ range: Range<Int>) {
    guard let index = Self.spans.firstIndex(of: span), !range.isEmpty else { return }
    changes[index][range.lowerBound] += 1
    changes[index][range.upperBound] -= 1
  }

  private mutating func hide(_ range: Range<Int>) {
    for index in range {
      hidden[index] = true
      literal[index] = true
    }
  }

  /// Returns the end of the run of equal characters at a place.
  private func run(from start: Int) -> Int {
    var end = start + 1
    while end < characters.count, characters[end] == characters[start] { end += 1 }
    return end
  }
}

// MARK: - Code and escapes

extension MarkdownLine {
  private mutating func findCode() {
    // The starts of the runs of backticks by length, in reverse order, so that the next run is the last element.
    var runs: [Int: [Int]] = [:]
    var index = 0
    while index < characters.count {
      guard characters[index] == "`" else {
        index += 1
        continue
      }
      let end = run(from: index)
      runs[end - index, default: []].append(index)
      index = end
    }
    for length in runs.keys { runs[length]?.reverse() }
    index = 0
    while index < characters.count {
      if characters[index] == "\\", index + 1 < characters.count,
        Self.isPunctuation(characters[index + 1])
      {
        hide(index..<(index + 1))
        literal[index + 1] = true
        index += 2
      } else if characters[index] == "`" {
        let end = run(from: index)
        let length = end - index
        while let next = runs[length]?.last, next < end { runs[length]?.removeLast() }
        if let close = runs[length]?.last {
          hide(index..<end)
          hide(close..<(close + length))
          for inside in end..<close {
            literal[inside] = true
            isCode[inside] = true
          }
          index = close + length
        } else {
          for tick in index..<end { literal[tick] = true }
          index = end
        }
      } else {
        index += 1
      }
    }
  }

  private static func isPunctuation(_ character: Character) -> Bool {
    guard character.isASCII, let value = character.asciiValue else { return false }
    return value > 0x20 && value < 0x7F && !character.isLetter && !character.isNumber
  }
}

// MARK: - Links

extension MarkdownLine {
  /// Shows the destination of a link after its text, and an image with its description and destination.
  private mutating func findLinks() {
    let brackets = pairs("[", "]")
    let parentheses = pairs("(", ")")
    for start in characters.indices where characters[start] == "[" && !literal[start] {
      guard let end = brackets[start], !hidden[start], end + 1 < characters.count,
        characters[end + 1] == "(", let close = parentheses[end + 1]
      else { continue }
      // A title may come after a blank.
      let target = characters[(end + 2)..<close].prefix { $0 != " " }
      guard !target.isEmpty else { continue }
      let isImage = start > 0 && characters[start - 1] == "!" && !literal[start - 1]
      let said = characters[(start + 1)..<end]
      hide((isImage ? start - 1 : start)..<(start + 1))
      set(.link, (start + 1)..<end)
      hide(end..<(close + 1))
      if said.isEmpty {
        additions[close] = isImage ? "▣ \(String(target))" : String(target)
      } else if said != target {
        additions[close] = isImage ? " (▣ \(String(target)))" : " (\(String(target)))"
      }
    }
  }

  /// Returns the closing character of each opening character.
  private func pairs(_ opening: Character, _ closing: Character) -> [Int: Int] {
    var open: [Int] = []
    var pairs: [Int: Int] = [:]
    for index in characters.indices where !literal[index] {
      if characters[index] == opening {
        open.append(index)
      } else if characters[index] == closing, let start = open.popLast() {
        pairs[start] = index
      }
    }
    return pairs
  }
}

// MARK: - Emphasis

extension MarkdownLine {
  /// A run of equal emphasis marks, by its character and length.
  private struct Mark: Hashable {
    let character: Character
    let length: Int
  }

  private mutating func findEmphasis() {
    var open: [Mark: Int] = [:]
    var index = 0
    while index < characters.count {
      let character = characters[index]
      guard !literal[index], character == "*" || character == "_" || character == "~" else {
        index += 1
        continue
      }
      var end = index + 1
      while end < characters.count, characters[end] == character, !literal[end] { end += 1 }
      let mark = Mark(character: character, length: end - index)
      if let styles = Self.styles(of: mark) {
        let (opens, closes) = flanks(index..<end)
        if closes, let start = open.removeValue(forKey: mark) {
          hide(start..<(start + mark.length))
          hide(index..<end)
          for style in styles { set(style, (start + mark.length)..<index) }
        } else if opens {
          open[mark] = index
        }
      }
      index = end
    }
  }

  private static func styles(of mark: Mark) -> [StyledText.Style]? {
    switch (mark.character, mark.length) {
    case ("~", 2): [.struck]
    case ("~", _): nil
    case (_, 1): [.emphasis]
    case (_, 2): [.strong]
    case (_, 3): [.strong, .emphasis]
    default: nil
    }
  }

  /// Returns whether a run of marks may begin and end emphasis; in `2 * 3` and `snake_case` it may do neither.
  private func flanks(_ run: Range<Int>) -> (opens: Bool, closes: Bool) {
    let before = run.lowerBound > 0 ? characters[run.lowerBound - 1] : " "
    let after = run.upperBound < characters.count ? characters[run.upperBound] : " "
    func isMark(_ character: Character) -> Bool { character.isPunctuation || character.isSymbol }
    let left = !after.isWhitespace && (!isMark(after) || before.isWhitespace || isMark(before))
    let right = !before.isWhitespace && (!isMark(before) || after.isWhitespace || isMark(after))
    guard characters[run.lowerBound] == "_" else { return (left, right) }
    return (left && (!right || isMark(before)), right && (!left || isMark(after)))
  }
}
