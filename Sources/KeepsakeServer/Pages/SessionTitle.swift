import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The head of a conversation's page: its title, what it holds, and what can be done with it.
struct SessionTitle {
  let summary: Session.Summary
  let isReadOnly: Bool

  func write(to html: inout HTML) {
    html.markup("<header class=\"session-title\">")
    html.element(
      "h1", ["dir": "auto"], text: Phrase.excerpt(summary.name ?? "Without a title", limit: 300))
    html.markup("<div class=\"facts\">")
    for fact in SessionList.facts(of: summary) { html.element("bdi", text: fact) }
    html.element(
      "time",
      ["datetime": Phrase.machine(summary.updated), "title": Phrase.time(summary.updated)],
      text: Phrase.time(summary.updated))
    html.element("span", text: Phrase.size(summary.bytes))
    for tag in summary.tags {
      html.element(
        "a", ["class": "mark tag", "href": Address.with("/", [("tag", tag)])],
        text: Phrase.excerpt(tag, limit: 60))
    }
    html.markup("</div><div class=\"actions\">")
    if !isReadOnly {
      html.markup(
        """
        <button data-dialog="rename">Rename</button><button data-dialog="tag">Tags</button>
        <button data-dialog="fork">Fork</button>
        """)
    }
    html.element(
      "a", ["class": "button", "href": "\(Address.session(summary.id))/export"], text: "Export")
    if !isReadOnly {
      html.markup("<button class=\"danger\" data-dialog=\"remove\">Delete</button>")
    }
    html.markup("</div></header>")
  }
}
