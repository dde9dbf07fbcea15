import Keepsake
import KeepsakeMarkdown

extension EntryFragment {
  /// Writes a text in Markdown as HTML.
  mutating func markdown(_ markdown: Markdown) {
    var walk = MarkdownWalk(isMixed: markdown.text.hasRightToLeft)
    markdown.forEach { event in
      switch event {
      case .begin(let node): begin(node, &walk)
      case .end(let node): end(node, &walk)
      }
    }
  }

  private mutating func begin(_ node: MarkdownNode, _ walk: inout MarkdownWalk) {
    if walk.image != nil {
      // The content of an image's brackets is the image's description.
      switch node {
      case .text(let text), .code(let text): walk.image?.description += text
      case .softBreak, .lineBreak: walk.image?.description += " "
      case .image: walk.image?.depth += 1
      default: break
      }
      return
    }
    switch node {
    case .codeBlock(let text, let language):
      codeBlock(text, language: String(language.prefix { $0 != " " }))
    case .rule: html.markup("<hr>")
    case .text(let text):
      if walk.isInLink, walk.linkText.utf8.count < 400 { walk.linkText += text }
      inline(text, walk)
    case .softBreak: html.markup("\n")
    case .lineBreak: html.markup("<br>\n")
    case .code(let text): html.element("code", ["dir": walk.isMixed ? "ltr" : nil], text: text)
    case .html(let text, let isBlock):
      if isBlock {
        codeBlock(text, language: "")
      } else {
        html.element("code", ["class": "html"], text: text)
      }
    case .image(let destination, _): walk.image = .init(destination: destination)
    default:
      let isWritten = walk.enter(node)
      if isWritten { open(node, &walk) }
    }
  }

  private mutating func end(_ node: MarkdownNode, _ walk: inout MarkdownWalk) {
    if let image = walk.image {
      guard case .image = node else { return }
      if image.depth > 0 {
        walk.image?.depth -= 1
        return
      }
      walk.image = nil
      return self.image(image.destination, description: image.description, isInLink: walk.isInLink)
    }
    if walk.leave() { close(node, &walk) }
  }

  private mutating func open(_ node: MarkdownNode, _ walk: inout MarkdownWalk) {
    switch node {
    case .quote: html.begin("blockquote", ["dir": walk.direction])
    case .list(let start, _):
      if let start {
        html.begin("ol", ["dir": walk.direction, "start": start == 1 ? nil : String(start)])
      } else {
        html.begin("ul", ["dir": walk.direction])
      }
    case .item(let isTicked):
      html.begin("li", ["class": isTicked == nil ? nil : "task"])
      if let isTicked {
        html.element(
          "span", ["class": "box", "role": "img", "aria-label": isTicked ? "done" : "to be done"],
          text: isTicked ? "☑" : "☐")
        html.markup(" ")
      }
    case .paragraph: html.begin("p", ["dir": walk.directionOfParagraph])
    case .heading(let level):
      // The headings are below the entry's own heading, so that the page has one outline.
      html.begin(Self.heading(level), ["class": Self.headingClass(level), "dir": walk.direction])
    case .table:
      html.begin(
        "div",
        [
          "class": "table", "role": "group", "aria-label": "Table", "tabindex": "0",
          "dir": walk.direction,
        ])
      html.markup("<table>")
    case .row(let isHeader):
      if !isHeader, !walk.hasBody {
        walk.hasBody = true
        html.markup("<tbody>")
      }
      html.markup(isHeader ? "<thead><tr>" : "<tr>")
    case .cell(let alignment, let isHeader):
      let name: String? =
        switch alignment {
        case .natural: nil
        case .left: "left"
        case .centre: "centre"
        case .right: "right"
        }
      html.begin(
        isHeader ? "th" : "td", ["class": name, "scope": isHeader ? "col" : nil])
    case .emphasis: html.markup("<em>")
    case .strong: html.markup("<strong>")
    case .strikethrough: html.markup("<del>")
    case .link(let destination, let title): link(destination, title: title, &walk)
    default: break
    }
  }

  private mutating func close(_ node: MarkdownNode, _ walk: inout MarkdownWalk) {
    switch node {
    case .quote: html.end("blockquote")
    case .list(let start, _): html.end(start == nil ? "ul" : "ol")
    case .item: html.end("li")
    case .paragraph: html.end("p")
    case .heading(let level): html.end(Self.heading(level))
    case .table:
      if walk.hasBody { html.end("tbody") }
      walk.hasBody = false
      html.markup("</table></div>")
    case .row(let isHeader): html.markup(isHeader ? "</tr></thead>" : "</tr>")
    case .cell(_, let isHeader): html.end(isHeader ? "th" : "td")
    case .emphasis: html.end("em")
    case .strong: html.end("strong")
    case .strikethrough: html.end("del")
    case .link:
      switch walk.links.popLast() {
      case .open(let href):
        html.end("a")
        // Where a link's text names another host, the real one is shown, because a phone has no hovering pointer.
        if let href, let host = SafeLink.otherHost(of: href, than: walk.linkText) {
          html.markup(" ")
          html.element("bdi", ["class": "mark host"], text: host)
        }
      case .refused(let destination):
        html.end("span")
        html.markup(" ")
        html.element("code", ["class": "reference"]) {
          $0.element("bdi", text: Phrase.excerpt(destination, limit: 200))
        }
      case nil: break
      }
    default: break
    }
  }

  private static func heading(_ level: Int) -> StaticString {
    switch level {
    case 1: "h4"
    case 2: "h5"
    default: "h6"
    }
  }

  private static func headingClass(_ level: Int) -> String { "h\(min(6, max(1, level)))" }

  // MARK: - Links and images

  private mutating func link(_ destination: String, title: String, _ walk: inout MarkdownWalk) {
    walk.linkText = ""
    if let href = SafeLink.href(destination) {
      html.begin("a", Self.outward(href))
      walk.links.append(.open(href))
    } else if let artifact = mentioned(destination)?.artifact {
      html.begin("a", ["href": "#\(anchor(of: artifact.id))"])
      walk.links.append(.open(nil))
    } else {
      html.begin("span", ["class": "refused", "title": "A link that leads nowhere from here."])
      walk.links.append(.refused(destination))
    }
  }

  /// The attributes of a link to another site. The target is visible before a click, and the site gets no referrer.
  private static func outward(_ href: String, isBare: Bool = false) -> HTML.Attributes {
    [
      "class": isBare ? "bare" : nil, "href": href, "title": href,
      "rel": "noopener noreferrer nofollow",
      "referrerpolicy": "no-referrer",
    ]
  }

  /// Writes a text, and turns bare URLs in it into links.
  private mutating func inline(_ text: String, _ walk: MarkdownWalk) {
    var rest = text.startIndex
    if !walk.isInLink {
      for range in SafeLink.bare(in: text) {
        guard let href = SafeLink.href(String(text[range])) else { continue }
        words(text[rest..<range.lowerBound], walk)
        html.element("a", Self.outward(href, isBare: true), text: String(text[range]))
        rest = range.upperBound
      }
    }
    words(text[rest...], walk)
  }

  /// Writes words. Among words that are read from right to left, a number keeps its unit behind it, as in `500 ml`.
  private mutating func words(_ text: Substring, _ walk: MarkdownWalk) {
    guard walk.isMixed else { return html.text(String(text)) }
    var rest = text.startIndex
    for range in text.quantities {
      html.text(String(text[rest..<range.lowerBound]))
      html.element("bdi", ["dir": "ltr"], text: String(text[range]))
      rest = range.upperBound
    }
    html.text(String(text[rest...]))
  }

  /// Writes an image of the session where the destination names one.
  ///
  /// No image is ever loaded from elsewhere: a model that was tricked into writing its URL would send a stranger what
  /// the URL contains.
  private mutating func image(_ destination: String, description: String, isInLink: Bool) {
    if let attachment = mentioned(destination) {
      guard isInLink else { return artifact(attachment, alt: description) }
      postponed.append(attachment)
      return html.element("bdi", ["class": "label"], text: attachment.label)
    }
    html.begin("span", ["class": "card absent"])
    html.element(
      "bdi", ["class": "name"], text: description.isEmpty ? "An image" : description)
    html.element(
      "span", ["class": "note"], text: "Not in the session, and not asked for from outside.")
    html.begin("code", ["class": "reference"])
    let shown = Phrase.excerpt(destination, limit: 400)
    if !isInLink, let href = SafeLink.href(destination) {
      html.element("a", Self.outward(href)) { $0.element("bdi", text: shown) }
    } else {
      html.element("bdi", text: shown)
    }
    html.end("code")
    html.end("span")
  }

  private func mentioned(_ destination: String) -> Entry.Attachment? {
    guard !destination.isEmpty, destination.utf8.count <= 4096 else { return nil }
    return context.mentions.resolve(destination).attachment
  }
}
