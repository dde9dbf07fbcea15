import Keepsake
import KeepsakeMarkdown

extension EntryFragment {
  /// The size in bytes above which prose is folded after its beginning.
  static let proseLimit = 24 << 10
  /// The size in bytes of the beginning that is shown of a folded text.
  private static let headLimit = 8 << 10
  /// The largest part of one text that a page holds, in bytes.
  static let textLimit = 1 << 20

  /// Writes the contents of an entry, segment by segment.
  mutating func body(of entry: Entry) {
    let standing = entry.attachmentsBySegment
    for (index, segment) in entry.segments.enumerated() {
      switch segment.content {
      case .text(let text):
        if text.isEmpty { continue }
        html.begin("div", ["class": "said", "dir": text.hasRightToLeft ? "auto" : nil])
        if entry.kind.isProse { prose(text) } else { plain(text) }
        html.end("div")
      case .structure(let json, let schema):
        html.begin("figure", ["class": "structure"])
        if let schema, !schema.isEmpty {
          html.element("figcaption") {
            $0.markup("Structure ")
            $0.element("bdi", text: schema)
          }
        }
        code(json)
        html.end("figure")
      case .attachment:
        if let attachment = standing[index] {
          html.begin("div", ["class": "artifacts"])
          artifact(attachment)
          html.end("div")
        }
      case .opaque(let json, let type):
        fold("Not understood", type) { $0.code(json) }
      }
    }
    if let tools = entry.toolDefinitions {
      let count = tools.arrayValue?.count ?? 1
      fold("Tools", Phrase.count(count, "tool")) { $0.code(tools) }
    }
    if let form = entry.responseFormat { fold("Asked for the form", "") { $0.code(form) } }
  }

  /// The part of a text that is read as Markdown. The rest is shown as plain text.
  static func prosePart(of text: String) -> Substring {
    text.utf8.count <= proseLimit ? text[...] : text[...].prefix(bytes: headLimit)
  }

  /// Writes a text in Markdown. A long text is folded.
  mutating func prose(_ text: String) {
    let head = Self.prosePart(of: text)
    if let markdown = Markdown(String(head)) { self.markdown(markdown) } else { lines(head) }
    rest(of: text, after: head)
  }

  /// Writes a text as it is. JSON gets line breaks, which make it easier to read.
  mutating func plain(_ text: String) {
    if text.utf8.count <= Markdown.limit, let json = PrettyJSON.value(of: text) {
      return code(json)
    }
    let head = Self.prosePart(of: text)
    lines(head)
    rest(of: text, after: head)
  }

  private mutating func rest(of text: String, after head: Substring) {
    let rest = text[head.endIndex...]
    if rest.isEmpty { return }
    let shown = rest.prefix(bytes: Self.textLimit)
    fold("Show the rest", Phrase.size(Int64(rest.utf8.count))) { fragment in
      fragment.lines(shown)
      let hidden = rest.utf8.count - shown.utf8.count
      guard hidden > 0 else { return }
      fragment.html.element(
        "p", ["class": "note"],
        text:
          "\(Phrase.size(Int64(hidden))) more are in the store: a page does not hold texts of this size."
      )
    }
  }

  private mutating func lines(_ text: Substring) {
    html.begin("pre", ["class": "plain"])
    html.text(String(text))
    html.end("pre")
  }

  /// Writes JSON as a tree, or as code where it has too many members for one.
  mutating func code(_ json: JSON) {
    if json.text.utf8.count > Markdown.limit { return plain(json.text) }
    guard let tree = JSONTree(json) else {
      return codeBlock(PrettyJSON.text(json), language: "json")
    }
    html.begin("div", ["class": "code"])
    bar("json")
    html.begin("div", ["class": "json", "dir": "ltr"])
    tree.write(to: &html)
    html.end("div")
    html.end("div")
  }

  /// Writes code, coloured where its language is known. What is longer than Markdown may be has no colour.
  mutating func codeBlock(_ text: String, language: String) {
    html.begin("div", ["class": "code"])
    bar(language)
    // Content that scrolls must be reachable by the keyboard as well.
    html.begin("pre", ["tabindex": "0", "dir": "ltr"])
    html.begin("code")
    html.code(
      text, language: text.utf8.count <= Markdown.limit ? CodeLanguage.named(language) : nil)
    html.end("code")
    html.end("pre")
    html.end("div")
  }

  /// Writes the line above code: its language, and a button that copies it.
  private mutating func bar(_ language: String) {
    if language.isEmpty, !context.place.runsScript { return }
    html.begin("div", ["class": "bar"])
    if !language.isEmpty {
      html.element("bdi", ["class": "language"], text: Phrase.excerpt(language, limit: 24))
    }
    if context.place.runsScript {
      html.markup("<button type=\"button\" class=\"copy\">Copy</button>")
    }
    html.end("div")
  }
}

extension Substring {
  /// The beginning of at most so many bytes. It ends with a line where a line ends in its second half.
  fileprivate func prefix(bytes limit: Int) -> Substring {
    guard utf8.count > limit else { return self }
    let bytes = utf8
    var end = bytes.index(startIndex, offsetBy: limit)
    let half = bytes.index(startIndex, offsetBy: limit / 2)
    if let line = bytes[half..<end].lastIndex(of: UInt8(ascii: "\n")) { return self[...line] }
    while bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
    return self[..<end]
  }
}
