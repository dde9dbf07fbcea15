#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeViewer

/// Draws sessions as the rows of a list.
struct SessionList {
  let now: Date

  /// Writes one session: its cover, its title, the beginning of its first prompt, and what it holds.
  func row(_ session: Session.Summary, to html: inout HTML) {
    let id = session.id.text
    html.begin("li", ["class": "row", "id": "row-\(id)"])
    if session.cover != nil {
      html.begin(
        "img",
        [
          "class": "cover", "src": "/s/\(id)/cover", "alt": "", "loading": "lazy",
          "decoding": "async",
        ])
    } else {
      html.markup("<span class=\"cover none\" aria-hidden=\"true\">❝</span>")
    }
    html.markup("<div>")
    html.element("h2") { html in
      html.element("a", ["href": "/s/\(id)", "dir": "auto"]) { html in
        html.text(Phrase.excerpt(session.name ?? "Without a title", limit: 160))
      }
    }
    if session.title != nil, let preview = session.preview {
      html.element("p", ["dir": "auto"], text: Phrase.excerpt(preview, limit: 200))
    }
    html.markup("<div class=\"facts\">")
    for fact in Self.facts(of: session) { html.element("bdi", text: fact) }
    for tag in session.tags { html.element("bdi", ["class": "mark tag"], text: tag) }
    html.markup("</div></div><div class=\"when\">")
    html.element(
      "time",
      ["datetime": Phrase.machine(session.updated), "title": Phrase.time(session.updated)],
      text: Age.text(of: session.updated, at: now))
    html.element("span", text: Phrase.size(session.bytes))
    html.markup("</div></li>\n")
  }

  static func facts(of session: Session.Summary) -> [String] {
    var facts = [session.model, session.origin].compactMap { $0 }.map {
      Phrase.excerpt($0, limit: 60)
    }
    facts.append(Phrase.count(session.entries, "entry", "entries"))
    if session.attachments > 0 { facts.append(Phrase.count(session.attachments, "attachment")) }
    if session.forkOf != nil { facts.append("a fork") }
    return facts
  }
}
