extension String {
  /// The number of columns that the text takes in a terminal.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Returns the part of the text that fits a width, with … for the rest.
  func fitting(_ width: Int) -> String {
    if utf8.count <= width || columns <= width { return self }
    var taken = 0
    var result = ""
    for character in self {
      guard taken + character.columns < width else { break }
      taken += character.columns
      result.append(character)
    }
    return result + "…"
  }

  /// Returns the text with blanks up to a width.
  func padded(to width: Int, right: Bool = false) -> String {
    let gap = String(repeating: " ", count: max(0, width - columns))
    return right ? gap + self : self + gap
  }

  /// Returns the lines of the text, folded between words to a width; longer words are split.
  ///
  /// Without a width the text is split at its own line breaks only.
  func folded(to width: Int?) -> [String] {
    let lines = split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard let width, width > 0 else { return lines.map(String.init) }
    return lines.flatMap { Self.fold($0, to: width) }
  }

  private static func fold(_ line: Substring, to width: Int) -> [String] {
    var result: [String] = []
    var current = ""
    var taken = 0
    // The last place at which the line may be broken, which is after a blank.
    var blank: (end: String.Index, taken: Int)?
    for character in line {
      let columns = character.columns
      if taken + columns > width, !current.isEmpty {
        if character == " " {
          result.append(current)
          (current, taken, blank) = ("", 0, nil)
          continue
        }
        if let place = blank {
          result.append(String(current[..<place.end].trimmingBlanks))
          current = String(current[place.end...])
          taken -= place.taken
        } else {
          result.append(current)
          (current, taken) = ("", 0)
        }
        blank = nil
      }
      current.append(character)
      taken += columns
      if character == " " { blank = (current.endIndex, taken) }
    }
    return result + [current]
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var rest = self
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}

extension Character {
  /// The number of columns in a terminal: two for wide East Asian characters and for emoji.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.isASCII { return 1 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if first.properties.isEmojiPresentation { return 2 }
    if unicodeScalars.contains("\u{FE0F}"), first.properties.isEmoji { return 2 }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
