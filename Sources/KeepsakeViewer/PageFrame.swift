#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Writes the frame of a page: its head, its header and its footer.
enum PageFrame {
  /// The page's content security policy, which allows only what the page holds: no scripts, requests, frames or
  /// forms.
  static func policy(style: [UInt8]) -> String {
    let hash = Data(SHA256.digest(of: style).bytes).base64EncodedString()
    return "default-src 'none'; img-src data:; media-src data:; style-src 'sha256-\(hash)'; "
      + "base-uri 'none'; form-action 'none'"
  }

  static func head(title: String) -> HTML {
    let style = PackageResources.page_css
    var html = HTML()
    html.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    // The policy must stand before everything that it applies to.
    html.begin(
      "meta", ["http-equiv": "Content-Security-Policy", "content": policy(style: style)])
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
    html.style(style)
    html.markup("</style>\n</head>\n<body>\n")
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
      fact("Fork of") { $0.element("code", text: parent.uuidString.lowercased()) }
    }
    html.markup("</dl>\n")
    if summary.attachments > 0 {
      html.markup(
        """
        <fieldset class="view"><legend>Show</legend>
        <label><input type="radio" name="view" checked> Conversation</label>
        <label><input type="radio" name="view" id="view-media"> Gallery</label>
        <a href="#makers">What made what</a>
        </fieldset>

        """)
    }
    html.markup("</header>\n<main>\n<h2 class=\"aside\">Conversation</h2>\n")
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
      html.element("code", text: summary.id.uuidString.lowercased())
      html.markup(". Times are UTC. Written by ")
      html.text(generator)
      html.markup(".")
    }
    html.markup("</footer>\n</body>\n</html>\n")
    return html
  }
}
