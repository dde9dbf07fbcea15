/// A text in the language of man pages, in plain ASCII, which every `man` reads in any language setting.
struct Roff {
  private(set) var text = ""

  /// A piece of a line with its font.
  enum Span {
    case plain(String)
    /// Text that is typed as it is.
    case bold(String)
    /// A placeholder for text that is typed in its place.
    case italic(String)

    fileprivate var source: String {
      switch self {
      case .plain(let text): Roff.escaped(text)
      case .bold(let text): "\\fB\(Roff.escaped(text))\\fR"
      case .italic(let text): "\\fI\(Roff.escaped(text))\\fR"
      }
    }
  }

  /// Adds a macro with arguments, which may contain spaces.
  mutating func macro(_ name: String, _ arguments: String...) {
    let given = arguments.map { text in
      let escaped = Self.escaped(text)
      return escaped.isEmpty || escaped.contains(" ") ? " \"\(escaped)\"" : " \(escaped)"
    }
    text += ".\(name)\(given.joined())\n"
  }

  mutating func heading(_ title: String) { macro("SH", title) }

  /// Adds sentences that are filled to the page's width.
  mutating func fill(_ sentences: String) {
    for line in sentences.split(separator: "\n") { add(Self.escaped(line.trimmed)) }
  }

  mutating func line(_ spans: [Span]) { add(spans.map(\.source).joined()) }

  /// Adds a term with an indented description below it.
  mutating func item(_ term: [Span], _ sentences: String) {
    macro("TP")
    line(term)
    fill(sentences)
  }

  /// Adds paragraphs, which are separated by empty lines.
  mutating func paragraphs(_ sentences: String) {
    var isFirst = true
    for paragraph in sentences.split(separator: "\n\n") {
      if !isFirst { macro("PP") }
      fill(String(paragraph))
      isFirst = false
    }
  }

  /// Adds a command to type, with its description above it.
  mutating func example(_ command: String, _ does: String) {
    macro("PP")
    fill(does)
    macro("PP")
    macro("RS", "4")
    macro("EX")
    add(Self.escaped(command))
    macro("EE")
    macro("RE")
  }

  /// Adds a line of text, protected from being read as a request; empty lines are left out.
  private mutating func add(_ line: String) {
    guard !line.isEmpty else { return }
    text += (line.hasPrefix(".") ? "\\&" : "") + line + "\n"
  }

  /// Escapes text so that it is shown as written: hyphens can be copied to a shell, and quotes stay straight.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\(rs"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "\"": result += "\\(dq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "…": result += "..."
      case " "..."~": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0xA0: result += " "
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return result
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
