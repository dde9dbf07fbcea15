#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Writes the frame of a page: its head, its header and its footer.
enum PageFrame {
  /// The page's content security policy, which allows only what the page holds: no requests, frames or forms, and no
  /// script but the one that is given, by its hash.
  static func policy(style: [UInt8], script: [UInt8]?) -> String {
    let scripts = script.map { " script-src '\(hash(of: $0))';" } ?? ""
    return "default-src 'none'; img-src data:; media-src data:; style-src '\(hash(of: style))';"
      + "\(scripts) base-uri 'none'; form-action 'none'"
  }

  private static func hash(of bytes: [UInt8]) -> String {
    "sha256-" + Data(SHA256.digest(of: bytes).bytes).base64EncodedString()
  }

  /// The policy of a page that lists others: images beside it, and nothing else.
  static var indexPolicy: String {
    // A page that is opened from a disk has no origin, so 'self' allows it nothing. The scheme 'file:' allows its images.
    "default-src 'none'; img-src 'self' file: data:; style-src '\(hash(of: PageAssets.indexStyle))'; "
      + "base-uri 'none'; form-action 'none'"
  }

  /// The head of a session's page.
  static func head(title: String, runsScript: Bool) -> HTML {
    let script = runsScript ? PageAssets.script : nil
    var html = head(
      title: title, style: PageAssets.style,
      policy: policy(style: PageAssets.style, script: script), script: script)
    html.markup("<a class=\"skip\" href=\"#conversation\">Skip to the conversation</a>\n")
    return html
  }

  static func head(
    title: String, style: [UInt8], policy: String, script: [UInt8]? = nil
  ) -> HTML {
    var html = HTML()
    html.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    // The policy must stand before everything that it applies to.
    html.begin(
      "meta",
      ["http-equiv": "Content-Security-Policy", "content": policy])
    html.markup(
      """

      <meta name="referrer" content="no-referrer">
      <meta http-equiv="x-dns-prefetch-control" content="off">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
      <meta name="robots" content="noindex">
      <link rel="icon" href="data:,">

      """)
    html.element("title", text: Phrase.excerpt(title, limit: 200))
    html.markup("\n<style>")
    html.own(style)
    html.markup("</style>\n")
    if let script {
      html.markup("<script>")
      html.own(script)
      html.markup("</script>\n")
    }
    html.markup("</head>\n<body>\n")
    return html
  }

  static func header(_ summary: Session.Summary, title: String, hasTimes: Bool) -> HTML {
    var html = HTML()
    html.markup("<header class=\"page\">\n")
    html.element("h1", ["dir": "auto"], text: Phrase.excerpt(title, limit: 400))
    html.markup("<dl>")
    func fact(_ name: StaticString, _ body: (inout HTML) -> Void) {
      html.markup("<div><dt>")
      html.markup(name)
      html.markup("</dt><dd>")
      body(&html)
      html.markup("</dd></div>")
    }
    if let model = summary.model { fact("Model") { $0.element("bdi", text: model) } }
    if let origin = summary.origin { fact("From") { $0.element("bdi", text: origin) } }
    fact(hasTimes ? "When" : "Taken in") { html in
      html.element(
        "time", ["datetime": Phrase.machine(summary.created)], text: Phrase.time(summary.created))
      let end = Phrase.time(summary.updated)
      guard hasTimes, end != Phrase.time(summary.created) else { return }
      html.markup(" – ")
      html.element("time", ["datetime": Phrase.machine(summary.updated)], text: end)
    }
    fact("Holds") { html in
      html.text(Phrase.count(summary.entries, "entry", "entries"))
      if summary.attachments > 0 {
        html.text(", \(Phrase.count(summary.attachments, "attachment"))")
      }
      html.text(", \(Phrase.size(summary.bytes))")
    }
    if !summary.tags.isEmpty {
      fact("Tags") { html in
        for tag in summary.tags {
          html.element("bdi", ["class": "mark tag"], text: tag)
          html.markup(" ")
        }
      }
    }
    if let parent = summary.forkOf {
      fact("Fork of") { $0.element("code", text: parent.text) }
    }
    html.markup("</dl>\n")
    if summary.attachments > 0 {
      html.markup(
        """
        <nav class="view" aria-label="Views"><a href="#conversation">Conversation</a> \
        <a href="#gallery">Gallery</a> <a href="#makers">What made what</a></nav>

        """)
    }
    html.markup("</header>\n")
    return html
  }

  /// The beginning of what a session holds.
  static var beginning: HTML {
    var html = HTML()
    html.markup("<main>\n<span id=\"gallery\"></span><h2 class=\"aside\">Conversation</h2>\n")
    return html
  }

  static func footer(
    _ report: Audit.SessionReport, _ summary: Session.Summary, generator: String
  ) -> HTML {
    var html = HTML()
    html.markup("</main>\n<footer class=\"page\">\n<h2>Is it what was recorded?</h2>\n")
    html.markup(
      "<p>Every change of a session is a link of a chain. This session's chain has ")
    html.text(Phrase.count(report.changes, "change"))
    html.markup(" and ends in this head:</p>\n")
    html.element("p") { $0.element("code", ["class": "digest"], text: report.head) }
    html.markup(
      """
      <p>Beside the store, <code>keepsake verify</code> computes the chain again from every byte and prints its head. \
      Where it is the same, nothing was altered since this page was made. The page itself is a copy, and proves nothing.</p>

      """)
    html.element("p", ["class": "note"]) { html in
      html.markup("Session ")
      html.element("code", text: summary.id.text)
      html.markup(". Times are UTC. Written by ")
      html.text(generator)
      html.markup(".")
    }
    html.markup("</footer>\n</body>\n</html>\n")
    return html
  }
}
