/// A text in the language of man pages: plain ASCII, which every man reads, whatever the person's language is.
struct Roff {
  private(set) var text = ""

  /// A piece of a line, and how it stands out.
  enum Span {
    case plain(String)
    /// To be typed as it stands.
    case bold(String)
    /// A name in whose place something else is typed.
    case italic(String)

    fileprivate var source: String {
      switch self {
      case .plain(let text): Roff.escaped(text)
      case .bold(let text): "\\fB\(Roff.escaped(text))\\fR"
      case .italic(let text): "\\fI\(Roff.escaped(text))\\fR"
      }
    }
  }

  /// A macro with arguments, each of which may have spaces in it.
  mutating func macro(_ name: String, _ arguments: String...) {
    let given = arguments.map { text in
      let escaped = Self.escaped(text)
      return escaped.isEmpty || escaped.contains(" ") ? " \"\(escaped)\"" : " \(escaped)"
    }
    text += ".\(name)\(given.joined())\n"
  }

  mutating func heading(_ title: String) { macro("SH", title) }

  /// Sentences, filled to the page's width.
  mutating func fill(_ sentences: String) {
    for line in sentences.split(separator: "\n") { add(Self.escaped(line.trimmed)) }
  }

  mutating func line(_ spans: [Span]) { add(spans.map(\.source).joined()) }

  /// A term with what there is to say of it indented below.
  mutating func item(_ term: [Span], _ sentences: String) {
    macro("TP")
    line(term)
    fill(sentences)
  }

  /// Paragraphs, which an empty line parts.
  mutating func paragraphs(_ sentences: String) {
    var isFirst = true
    for paragraph in sentences.split(separator: "\n\n") {
      if !isFirst { macro("PP") }
      fill(String(paragraph))
      isFirst = false
    }
  }

  /// A command to be typed, with what it does above it.
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

  /// A line of text is none of the language's requests, and an empty one is no gap.
  private mutating func add(_ line: String) {
    guard !line.isEmpty else { return }
    text += (line.hasPrefix(".") ? "\\&" : "") + line + "\n"
  }

  /// Text that is shown as it is written: a hyphen can be copied to a shell, and a quote stays straight.
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
