/// Text with a style for each character, which can be folded between words.
struct StyledText {
  /// The styles of text, several of which may apply at once.
  struct Style: OptionSet, Sendable {
    let rawValue: UInt8

    static let strong = Style(rawValue: 1)
    static let emphasis = Style(rawValue: 2)
    static let struck = Style(rawValue: 4)
    static let code = Style(rawValue: 8)
    static let link = Style(rawValue: 16)
    static let faint = Style(rawValue: 32)
    static let heading = Style(rawValue: 64)

    /// The escape sequence that sets the styles in a terminal.
    fileprivate var escape: String {
      let codes: KeyValuePairs<Style, String> = [
        .strong: "1", .faint: "2", .emphasis: "3", .link: "4", .struck: "9", .heading: "1;33",
        .code: "36",
      ]
      return
        "\u{1B}[\(codes.compactMap { contains($0.key) ? $0.value : nil }.joined(separator: ";"))m"
    }
  }

  private var characters: [Character] = []
  private var styles: [Style] = []

  init() {}

  init(_ text: String, _ style: Style = []) { append(text, style) }

  mutating func append(_ character: Character, _ style: Style) {
    characters.append(character)
    styles.append(style)
  }

  mutating func append(_ text: some StringProtocol, _ style: Style) {
    for character in text { append(character, style) }
  }

  var isEmpty: Bool { characters.isEmpty }
  /// The number of columns that the text takes.
  var columns: Int { characters.reduce(0) { $0 + $1.columns } }

  /// Returns the text with escape sequences, or plain if the terminal has no styles.
  func text(_ terminal: Terminal) -> String { text(characters.indices, terminal) }

  /// Returns the text folded to lines of a width, which only a single wide character may exceed.
  func lines(fitting width: Int, _ terminal: Terminal) -> [String] {
    folded(to: max(1, width)).map { text($0, terminal) }
  }

  /// Returns the text in lines that are broken exactly at a width, as for code.
  func pieces(fitting width: Int, _ terminal: Terminal) -> [String] {
    var pieces: [String] = []
    var start = 0
    var taken = 0
    for (index, character) in characters.enumerated() {
      if taken + character.columns > max(1, width), index > start {
        pieces.append(text(start..<index, terminal))
        (start, taken) = (index, 0)
      }
      taken += character.columns
    }
    return pieces + [text(start..<characters.count, terminal)]
  }

  private func text(_ range: Range<Int>, _ terminal: Terminal) -> String {
    var result = ""
    var current: Style = []
    for index in range {
      if terminal.isStyled, styles[index] != current {
        if !current.isEmpty { result += "\u{1B}[0m" }
        current = styles[index]
        if !current.isEmpty { result += current.escape }
      }
      result.append(characters[index])
    }
    return current.isEmpty ? result : result + "\u{1B}[0m"
  }

  /// Returns the ranges of lines, broken after blanks, or between characters of scripts without blanks.
  private func folded(to width: Int) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    var taken = 0
    // The last place at which the line may end, with the columns before it.
    var place: (index: Int, taken: Int)?
    for (index, character) in characters.enumerated() {
      if taken + character.columns > width, index > start {
        if character == " " {
          lines.append(start..<index)
          (start, taken, place) = (index + 1, 0, nil)
          continue
        }
        if let end = place {
          lines.append(start..<trimmed(end.index, from: start))
          start = end.index
          taken -= end.taken
        } else {
          lines.append(start..<index)
          (start, taken) = (index, 0)
        }
        place = nil
      }
      taken += character.columns
      if character == " " || character.columns == 2 && !staysWithNext(index) {
        place = (index + 1, taken)
      }
    }
    return lines + [start..<characters.count]
  }

  private func trimmed(_ end: Int, from start: Int) -> Int {
    var end = end
    while end > start, characters[end - 1] == " " { end -= 1 }
    return end
  }

  /// Returns whether the next character must not begin a line.
  private func staysWithNext(_ index: Int) -> Bool {
    index + 1 < characters.count && "、。，．：；！？）」』】〉》ー々…".contains(characters[index + 1])
  }
}
