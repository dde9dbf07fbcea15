package import Keepsake

/// The page that lists the pages of several sessions, which stand in the same folder.
///
/// It says of each session its title, where it came from, when it was, what it holds, and shows its first image. It
/// needs no script and asks for nothing but those images, so it works from a disk as from a server.
package struct IndexPage: Sendable {
  /// A session in the list.
  package struct Item: Sendable {
    let summary: Session.Summary
    let file: String
    let cover: String?

    /// Creates an item.
    /// - Parameters:
    ///   - summary: The session.
    ///   - file: The path from this page to the session's, as in a URL.
    ///   - cover: The path from this page to an image that stands for the session, as in a URL.
    package init(_ summary: Session.Summary, file: String, cover: String?) {
      self.summary = summary
      self.file = file
      self.cover = cover
    }
  }

  /// The largest image that is a cover, in bytes. It is copied beside the page.
  private static let coverLimit: Int64 = 8 << 20

  /// Returns whether an attachment can be a cover: an image that pages show, and not too large a file.
  package static func canCover(_ attachment: Entry.Attachment) -> Bool {
    guard let artifact = attachment.artifact, artifact.size <= coverLimit,
      case .shown(.image) = ArtifactDisplay(
        of: artifact, declared: attachment.mediaType, pixelLimit: PageOptions().pixelLimit)
    else { return false }
    return true
  }

  private let take: @Sendable ([UInt8]) throws -> Void
  private var month: String?

  /// Creates a page that is written piece by piece.
  package init(into take: @escaping @Sendable ([UInt8]) throws -> Void) { self.take = take }

  /// Writes the page's beginning.
  /// - Parameter count: The number of sessions that follow.
  package func begin(count: Int) throws {
    var html = PageFrame.head(
      title: Phrase.count(count, "conversation"), style: PageAssets.indexStyle,
      policy: PageFrame.indexPolicy)
    html.markup("<header class=\"page\">\n<h1>")
    html.text(Phrase.count(count, "conversation"))
    html.markup("</h1>\n</header>\n<main>\n")
    try take(html.bytes)
  }

  /// Writes a session. Sessions of a month stand below its name, so those that follow each other should be of one.
  package mutating func add(_ item: Item) throws {
    var html = HTML()
    let month = Phrase.month(item.summary.updated)
    if month != self.month {
      if self.month != nil { html.markup("</ol>\n") }
      html.element("h2", text: month)
      html.markup("\n<ol class=\"sessions\">\n")
      self.month = month
    }
    html.markup("<li>")
    if let cover = item.cover {
      // The title beside it says the same for whoever does not see it.
      html.begin(
        "img", ["class": "cover", "alt": "", "loading": "lazy", "decoding": "async"],
        url: cover, in: "src")
    }
    html.markup("<div>")
    html.begin("a", ["class": "session", "dir": "auto"], url: item.file, in: "href")
    html.text(
      Phrase.excerpt(item.summary.name ?? "A session without a title", limit: 200))
    html.end("a")
    Self.facts(item.summary, &html)
    html.markup("</div></li>\n")
    try take(html.bytes)
  }

  /// Writes the page's end.
  package func end(generator: String = PageOptions().generator) throws {
    var html = HTML()
    if month != nil { html.markup("</ol>\n") }
    html.markup("</main>\n<footer class=\"page\"><p class=\"note\">Times are UTC. Written by ")
    html.text(generator)
    html.markup(".</p></footer>\n</body>\n</html>\n")
    try take(html.bytes)
  }

  private static func facts(_ summary: Session.Summary, _ html: inout HTML) {
    html.markup("<p class=\"about\">")
    html.element(
      "time", ["datetime": Phrase.machine(summary.created)], text: Phrase.day(summary.created))
    if Phrase.day(summary.updated) != Phrase.day(summary.created) {
      html.markup(" – ")
      html.element(
        "time", ["datetime": Phrase.machine(summary.updated)], text: Phrase.day(summary.updated))
    }
    for name in [summary.model, summary.origin].compactMap({ $0 }) {
      html.markup(" · ")
      html.element("bdi", text: Phrase.excerpt(name, limit: 80))
    }
    html.markup(" · ")
    html.text(Phrase.count(summary.entries, "entry", "entries"))
    if summary.attachments > 0 {
      html.markup(" · ")
      html.text(Phrase.count(summary.attachments, "attachment"))
    }
    html.markup(" · ")
    html.text(Phrase.size(summary.bytes))
    for tag in summary.tags {
      html.markup(" ")
      html.element("bdi", ["class": "mark tag"], text: Phrase.excerpt(tag, limit: 40))
    }
    html.markup("</p>")
  }
}
