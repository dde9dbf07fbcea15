#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The page of one conversation: at its end, at an entry, or at a hit.
///
/// Only a range of entries is drawn. A script draws more when the reader comes near the edge of it; without a script links lead
/// there.
struct SessionRoute: Route {
  let endpoint = Endpoint(.get, "/s/{session}", "A conversation", answer: .page)

  /// The number of entries that are drawn at first.
  private static let range = 50
  /// The number of prompts in the outline.
  private static let outline = 200

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let summary = try await session.summary()
    let standing = try await session.standing()
    let at = try request.position("at")
    let start =
      at.map { max(0, min($0, standing.entries - 1) - Self.range / 2) }
      ?? max(0, standing.entries - Self.range)
    let positions = start..<min(standing.entries, start + Self.range)
    let entries = try await EntryRange(session, positions, in: server.store)
    let prompts = try await session.prompts(count: Self.outline)
    let now = try await RunningNow(of: session)
    let title = summary.name ?? "Without a title"
    return Shell(
      title: title, layout: "session", live: "session", script: "/assets/session.js"
    ).answer { html in
      html.markup("<div class=\"conversation\">")
      Self.outline(prompts, in: summary, to: &html)
      html.markup("<div class=\"middle\">")
      SessionTitle(summary: summary, isReadOnly: server.isReadOnly).write(to: &html)
      Self.tools(&html)
      Self.edge("above", "Earlier", start > 0 ? start - 1 : nil, summary, &html)
      html.markup("<h2 class=\"aside\" id=\"entries-title\">Conversation</h2>")
      html.begin(
        "section",
        [
          "id": "entries", "aria-labelledby": "entries-title",
          "data-path": Address.session(summary.id),
          "data-session": summary.id.text,
          "data-count": "\(standing.entries)", "data-changes": "\(standing.changes)",
          "data-from": "\(positions.lowerBound)", "data-to": "\(positions.upperBound)",
        ])
      entries.write(to: &html)
      html.end("section")
      let next = positions.upperBound < standing.entries ? positions.upperBound : nil
      Self.edge("below", "Later", next, summary, &html)
      html.begin("section", ["id": "now", "class": "now", "aria-label": "Now"])
      now.write(to: &html)
      html.end("section")
      html.markup(
        "<p id=\"gone\" class=\"empty\" role=\"status\" hidden>This conversation was deleted. <a href=\"/\">All conversations</a></p>"
      )
      html.markup(
        "</div></div><button id=\"latest\" class=\"latest main\" hidden>New entries ↓</button>")
      if !server.isReadOnly { SessionDialogs(summary: summary).write(to: &html) }
    }
  }

  private static func outline(_ prompts: [Entry], in summary: Session.Summary, to html: inout HTML)
  {
    html.markup("<nav class=\"prompts\" aria-label=\"Prompts\">")
    if !prompts.isEmpty {
      html.element("h2", text: Phrase.count(prompts.count, "prompt"))
      html.markup("<ol>")
      for prompt in prompts {
        guard let position = prompt.position else { continue }
        html.element("li") { html in
          html.element(
            "a",
            [
              "href": Address.session(summary.id, at: position), "data-position": "\(position)",
              "dir": "auto",
            ], text: prompt.isErased ? "erased" : Phrase.excerpt(prompt.text, limit: 120))
        }
      }
      html.markup("</ol>")
    }
    html.markup("</nav>")
  }

  private static func tools(_ html: inout HTML) {
    html.markup(
      """
      <fieldset id="seen" class="seen" hidden><legend>Show</legend>
      <label><input type="radio" name="seen" value="" checked>everything</label>
      <label><input type="radio" name="seen" value="model">what the model saw</label>
      <label><input type="radio" name="seen" value="person">what the person saw</label></fieldset>
      <form id="find" class="find" role="search" hidden><label class="aside" for="find-text">Find in this conversation</label>
      <input id="find-text" type="text" placeholder="Find in this conversation" autocomplete="off">
      <output aria-live="polite"></output><button>Next</button></form>
      """)
  }

  private static func edge(
    _ id: String, _ text: String, _ position: Int?, _ summary: Session.Summary, _ html: inout HTML
  ) {
    html.begin("p", ["id": id, "class": "edge", "hidden": position == nil ? "" : nil])
    html.element(
      "a",
      ["class": "button", "href": "\(Address.session(summary.id))?at=\(position ?? 0)"], text: text)
    html.end("p")
  }
}
