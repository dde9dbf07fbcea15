/// Determines the format of a valid text.
///
/// The sniffer is careful: prose that looks a little like a format stays plain text.
struct TextSniffer {
  let text: ArraySlice<UInt8>

  /// Whether `text` is the whole text, and not cut off.
  let isWhole: Bool

  func mediaType() -> MediaType {
    if text.starts(with: "#!".utf8) { return script() }
    if begins("BEGIN:VCALENDAR") { return "text/calendar" }
    if begins("BEGIN:VCARD") { return "text/vcard" }
    return markup() ?? JSONSniffer(text: text, isWhole: isWhole).mediaType()
      ?? TableSniffer(text: text, isWhole: isWhole).mediaType() ?? .plainText
  }

  /// Returns whether the text begins with the given letters, in any case.
  private func begins(_ expected: String, at start: Int? = nil) -> Bool {
    let letters = text[(start ?? text.startIndex)...].prefix(expected.utf8.count)
    return letters.map(\.asciiLowercased) == expected.utf8.map(\.asciiLowercased)
  }
}

extension TextSniffer {
  private func script() -> MediaType {
    let line = text.dropFirst(2).prefix { $0 != 0x0A && $0 != 0x0D }
    var words = line.split(whereSeparator: \.isBlank)
    if let first = words.first, name(of: first) == "env" {
      words.removeFirst()
      // Options of `env`, such as -S, and variables come before the interpreter.
      words.removeAll { $0.first == UInt8(ascii: "-") || $0.contains(UInt8(ascii: "=")) }
    }
    switch words.first.map(name(of:)) {
    case "sh", "bash", "zsh", "dash", "ksh", "fish": return "text/x-shellscript"
    case "python": return "text/x-python"
    case "node", "deno", "bun": return "text/javascript"
    case "perl": return "text/x-perl"
    case "ruby": return "text/x-ruby"
    case "swift": return "text/x-swift"
    default: return .plainText
    }
  }

  /// Returns the last component of an interpreter's path, without its version.
  private func name(of path: ArraySlice<UInt8>) -> String {
    let last = path.split(separator: UInt8(ascii: "/")).last ?? []
    let name = last.prefix { !$0.isASCIIDigit && $0 != UInt8(ascii: ".") }
    return String(decoding: name, as: UTF8.self)
  }
}

extension TextSniffer {
  /// Recognizes HTML, SVG, and XML with a declaration.
  private func markup() -> MediaType? {
    var index = skippingBlanks(from: text.startIndex)
    let isDeclared = begins("<?xml", at: index)
    // This passes everything that may come before the root element.
    while index < text.endIndex {
      let start = index
      if begins("<!--", at: index) {
        index = position(after: "-->", from: index + 4)
      } else if begins("<?", at: index) {
        index = position(after: "?>", from: index + 2)
      } else if begins("<!doctype", at: index) {
        if begins("html", at: skippingBlanks(from: index + 9)) {
          return isDeclared ? "application/xhtml+xml" : .html
        }
        index = position(afterDoctypeAt: index)
      } else {
        break
      }
      index = skippingBlanks(from: max(index, start + 1))
    }
    return root(at: index < text.endIndex ? index : nil, isDeclared: isDeclared)
  }

  private func root(at index: Int?, isDeclared: Bool) -> MediaType? {
    guard let index else { return isDeclared ? .xml : nil }
    guard text[index] == UInt8(ascii: "<") else { return nil }
    let tag = text[(index + 1)...].prefix { !$0.isBlank && $0 != 0x3E && $0 != 0x2F }.prefix(64)
    let end = index + 1 + tag.count
    // The name of a tag has to end, or `<svgood>` would be an image.
    guard end < text.endIndex else { return isDeclared ? .xml : nil }
    let name = String(decoding: tag.map(\.asciiLowercased), as: UTF8.self)
    let local = name.split(separator: ":").last.map(String.init) ?? name
    if local == "svg" { return .svg }
    if isDeclared { return local == "html" ? "application/xhtml+xml" : .xml }
    return ["html", "head", "body", "script", "style", "title", "table", "iframe"].contains(name)
      ? .html : nil
  }

  private func skippingBlanks(from start: Int) -> Int {
    text[min(start, text.endIndex)...].firstIndex { !$0.isBlank } ?? text.endIndex
  }

  private func position(after pattern: String, from start: Int) -> Int {
    let pattern = Array(pattern.utf8)
    var index = min(start, text.endIndex)
    while index + pattern.count <= text.endIndex {
      if text[index..<index + pattern.count].elementsEqual(pattern) { return index + pattern.count }
      index += 1
    }
    return text.endIndex
  }

  /// Returns the position after a document type, which may contain declarations in brackets.
  private func position(afterDoctypeAt start: Int) -> Int {
    var depth = 0
    for index in start..<text.endIndex {
      switch text[index] {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0: return index + 1
      default: break
      }
    }
    return text.endIndex
  }
}
