import Foundation

/// A page, taken apart as strictly as our own writer puts it together: whatever a browser would read in another way than
/// we meant is an error here.
struct WrittenPage {
  struct Element {
    let name: String
    let attributes: [String: String]
    /// The names of the elements around it.
    let path: [String]
    /// Its own text and that of what is in it.
    var text = ""

    subscript(name: String) -> String? { attributes[name] }
    func has(class name: String) -> Bool {
      attributes["class"]?.split(separator: " ").contains { $0 == name } ?? false
    }
  }

  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  let text: String
  let largestPiece: Int
  private(set) var elements: [Element] = []

  private static let allowed: Set<String> = [
    "html", "head", "meta", "link", "title", "style", "body", "script", "nav", "button", "header",
    "h1", "h2", "h3", "h4",
    "h5", "h6", "dl", "div", "dt", "dd", "fieldset", "legend", "label", "input", "a", "main",
    "section", "p", "time", "article", "span", "bdi", "details", "summary", "pre", "code", "figure",
    "figcaption", "img", "audio", "video", "blockquote", "ul", "ol", "li", "em", "strong", "del",
    "hr", "br", "table", "thead", "tbody", "tr", "th", "td", "small", "footer",
  ]
  private static let void: Set<String> = ["meta", "link", "input", "img", "hr", "br"]
  private static let attributes: Set<String> = [
    "class", "id", "href", "src", "alt", "title", "dir", "datetime", "rel", "referrerpolicy",
    "aria-label", "role", "width", "height", "loading", "decoding", "controls", "preload",
    "playsinline", "draggable", "download", "tabindex", "start", "scope", "type", "name", "checked",
    "lang", "charset", "http-equiv", "content", "open", "data-members", "data-for",
  ]

  init(text: String, largestPiece: Int = 0) throws {
    self.text = text
    self.largestPiece = largestPiece
    var open: [Int] = []
    var rest = Substring(text)
    guard rest.hasPrefix("<!DOCTYPE html>\n") else { throw Malformed(description: "no doctype") }
    rest = rest.dropFirst(16)
    while !rest.isEmpty {
      let run = rest.utf8.prefix { $0 != UInt8(ascii: "<") }
      if !run.isEmpty {
        let words = try Self.unescaped(Substring(run))
        for index in open { elements[index].text += words }
        rest = rest[run.endIndex...]
        continue
      }
      guard let end = rest.utf8.firstIndex(of: UInt8(ascii: ">")) else {
        throw Malformed(description: "a tag does not end: \(rest.prefix(80))")
      }
      let tag = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard let last = open.popLast(), elements[last].name == tag.dropFirst() else {
          throw Malformed(description: "</\(tag.dropFirst())> ends nothing")
        }
        continue
      }
      let element = try Self.element(tag, path: open.map { elements[$0].name })
      elements.append(element)
      if Self.void.contains(element.name) { continue }
      // The page's own, which no text of a session is in.
      if element.name == "style" || element.name == "script" {
        guard let close = rest.range(of: "</\(element.name)>"), element.path.last == "head" else {
          throw Malformed(description: element.name)
        }
        elements[elements.count - 1].text = String(rest[..<close.lowerBound])
        rest = rest[close.upperBound...]
        continue
      }
      open.append(elements.count - 1)
    }
    guard open.isEmpty else { throw Malformed(description: "\(open.count) elements don't end") }
  }

  private static func element(_ tag: Substring, path: [String]) throws -> Element {
    let name = String(tag.prefix { $0 != " " })
    guard allowed.contains(name) else { throw Malformed(description: "<\(name)>") }
    var attributes: [String: String] = [:]
    var rest = tag.dropFirst(name.count)
    while !rest.isEmpty {
      guard rest.first == " " else { throw Malformed(description: "<\(tag.prefix(200))>") }
      rest = rest.dropFirst()
      let key = String(rest.prefix { $0 != "=" && $0 != " " })
      guard Self.attributes.contains(key), attributes[key] == nil else {
        throw Malformed(description: "attribute '\(key)' in <\(tag.prefix(200))>")
      }
      rest = rest.dropFirst(key.count)
      guard rest.hasPrefix("=\"") else {
        attributes[key] = ""
        continue
      }
      rest = rest.dropFirst(2)
      guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "\"")) else {
        throw Malformed(description: "an attribute does not end: \(tag.prefix(200))")
      }
      attributes[key] = try unescaped(rest[..<end])
      rest = rest[rest.index(after: end)...]
    }
    return Element(name: name, attributes: attributes, path: path)
  }

  private static func unescaped(_ text: Substring) throws -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return String(text) }
    var plain = String(text)
    for (entity, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ] {
      plain = plain.replacingOccurrences(of: entity, with: character)
    }
    return plain
  }
}

// MARK: - Looking at it

extension WrittenPage {
  func all(_ name: String, class className: String? = nil) -> [Element] {
    elements.filter { $0.name == name && (className.map($0.has(class:)) ?? true) }
  }

  func first(_ name: String, class className: String? = nil) -> Element? {
    all(name, class: className).first
  }

  func element(id: String) -> Element? { elements.first { $0["id"] == id } }

  /// What of the page could do more than be read; nothing, in every page.
  var dangers: [String] {
    var dangers: [String] = []
    for element in elements {
      for (name, value) in element.attributes {
        let isFine =
          switch name {
          case "href":
            value.hasPrefix("#") || Self.isOutward(element, value) || Self.isSaved(element, value)
              || element.name == "link" && value == "data:,"
              || Self.isBeside(element, value)
          case "src": Self.isMedia(element, value) || Self.isBeside(element, value)
          default: true
          }
        if !isFine { dangers.append("\(element.name) \(name)=\(value.prefix(80))") }
      }
    }
    let ids = elements.compactMap { $0["id"] }
    if Set(ids).count != ids.count { dangers.append("an id stands twice") }
    let anchors = Set(ids)
    for target in all("a").compactMap({ $0["href"] }) where target.hasPrefix("#") {
      if !anchors.contains(String(target.dropFirst())) { dangers.append("\(target) leads nowhere") }
    }
    // The only markup that is not ours would be in here.
    if elements.contains(where: { $0.name == "meta" && !$0.path.contains("head") }) {
      dangers.append("meta in the body")
    }
    return dangers
  }

  private static func isOutward(_ element: Element, _ value: String) -> Bool {
    element.name == "a" && ["http://", "https://", "mailto:"].contains { value.hasPrefix($0) }
      && element["rel"] == "noopener noreferrer nofollow" && element["title"] == value
  }

  /// A page, or an image, that stands beside the page that lists others.
  private static func isBeside(_ element: Element, _ value: String) -> Bool {
    (element.has(class: "session") || element.has(class: "cover")) && value.hasPrefix("./")
      && !value.contains("..")
      && value.utf8.allSatisfy { $0 > 0x20 && !":\"'<>?#".utf8.contains($0) }
  }

  private static func isSaved(_ element: Element, _ value: String) -> Bool {
    element.name == "a" && element["download"]?.isEmpty == false
      && value.hasPrefix("data:application/octet-stream;base64,")
  }

  private static func isMedia(_ element: Element, _ value: String) -> Bool {
    let types =
      switch element.name {
      case "img": ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]
      case "audio":
        ["audio/mpeg", "audio/wav", "audio/aac", "audio/mp4", "audio/flac", "audio/ogg"]
      case "video": ["video/mp4", "video/webm", "video/ogg"]
      default: [String]()
      }
    return types.contains { value.hasPrefix("data:\($0);base64,") }
  }
}
