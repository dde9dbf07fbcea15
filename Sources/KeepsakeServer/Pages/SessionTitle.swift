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

/// The head of a conversation, for a page that shows it.
struct TitleRoute: Route {
  let endpoint = Endpoint(.get, "/s/{session}/title", "The head of a conversation", answer: .page)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let summary = try await request.session(in: server.store).summary()
    return Shell.part {
      SessionTitle(summary: summary, isReadOnly: server.isReadOnly).write(to: &$0)
    }
  }
}

/// The row of one conversation, for a page that shows a list of them.
struct RowRoute: Route {
  let endpoint = Endpoint(.get, "/s/{session}/row", "The row of a conversation", answer: .page)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let summary = try await request.session(in: server.store).summary()
    return Shell.part { SessionList(now: server.now).row(summary, to: &$0) }
  }
}
