import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The page `/`: all conversations, the newest first, and those that some conditions leave.
struct HomeRoute: Route {
  let endpoint = Endpoint(.get, "/", "The conversations, the newest first", answer: .page)

  /// The number of sessions that are drawn at once.
  private static let page = 50

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let filter = try Self.filter(request)
    // Before the sessions are read, so that nothing is missed in between.
    let change = server.live.numberForPage()
    let page = try await server.store.sessions(
      filter, limit: Self.page, after: try request.cursor("after", as: Session.Cursor.self))
    let list = SessionList(now: server.now)
    let more = page.next.map {
      Address.with("/", Self.items(request) + [("after", $0.description)])
    }
    if request.text("part") != nil {
      return Shell.part { Self.rows(page, list, more: more, to: &$0) }
    }
    let tags = try await server.store.sessionTags()
    return Shell(
      title: "Conversations", place: .conversations,
      live: filter == Session.Filter() ? "sessions" : "some-sessions", script: "/assets/list.js"
    ).answer { html in
      html.markup("<h1 class=\"aside\">Conversations</h1>")
      if page.sessions.isEmpty, filter == Session.Filter() { return Self.empty(&html) }
      Filters(request, tags: tags.map(\.tag), shown: page.sessions).write(to: &html)
      html.begin("ul", ["class": "rows", "data-change": "\(change)"])
      Self.rows(page, list, more: more, to: &html)
    }
  }

  private static func rows(
    _ page: Session.Page, _ list: SessionList, more: String?, to html: inout HTML
  ) {
    for session in page.sessions { list.row(session, to: &html) }
    html.markup("</ul>")
    if page.sessions.isEmpty {
      html.markup("<p class=\"empty\">No conversation is like that.</p>")
    }
    html.begin("p", ["class": "more"])
    if let more { html.element("a", ["class": "button", "href": more], text: "Earlier ones") }
    html.end("p")
  }

  private static func empty(_ html: inout HTML) {
    html.markup(
      """
      <ul class="rows"></ul><div class="empty"><p>This store has no conversations yet.</p>
      <p>They appear here as soon as a program writes one, or after <code>keepsake import</code>.</p></div>
      """)
  }

  // MARK: - Conditions

  static func filter(_ request: Request) throws(Problem) -> Session.Filter {
    Session.Filter(
      since: try request.time("since"), until: try request.time("until"),
      model: request.text("model"), tool: request.text("tool"), sessionTag: request.text("tag"),
      origin: request.text("origin"), has: request.text("has"), text: request.text("title"))
  }

  /// The conditions of a request, to be written into the address of its next page.
  private static func items(_ request: Request) -> [(String, String?)] {
    ["since", "until", "model", "tool", "tag", "origin", "has", "title"].map {
      ($0, request.http.head.query($0).flatMap { $0.isEmpty ? nil : $0 })
    }
  }
}

/// The form with the conditions of a list of sessions.
private struct Filters {
  private static let names: [StaticString] = [
    "has", "since", "until", "tag", "model", "tool", "origin", "title",
  ]

  private let request: Request
  private let tags: [String]
  /// The sessions that are listed. What they have is suggested, so that suggestions cost nothing.
  private let shown: [Session.Summary]

  init(_ request: Request, tags: [String], shown: [Session.Summary]) {
    self.request = request
    self.tags = tags
    self.shown = shown
  }

  func write(to html: inout HTML) {
    html.markup(
      "<form class=\"filters\" data-at-once action=\"/\" aria-label=\"Which conversations\">")
    choice("has", "Has", [("image", "images"), ("audio", "sound"), ("video", "video")], &html)
    field("since", "Since", type: "date", &html)
    field("until", "Before", type: "date", &html)
    if !tags.isEmpty { choice("tag", "Tag", tags.prefix(100).map { ($0, $0) }, &html) }
    field("model", "Model", suggesting: shown.compactMap(\.model), &html)
    field("tool", "Tool", &html)
    field("origin", "Origin", suggesting: shown.compactMap(\.origin), &html)
    if Self.names.contains(where: { request.text($0) != nil }) {
      html.markup("<a class=\"button\" href=\"/\">Show all</a>")
    }
    html.markup("<noscript><button>Show</button></noscript></form>")
  }

  private func choice(
    _ name: String, _ label: String, _ choices: [(value: String, text: String)],
    _ html: inout HTML
  ) {
    if choices.isEmpty { return }
    let chosen = request.http.head.query(name)
    html.begin("label")
    html.element("span", text: label)
    html.begin("select", ["name": name])
    html.markup("<option value=\"\">any</option>")
    for choice in choices {
      html.element(
        "option", ["value": choice.value, "selected": chosen == choice.value ? "" : nil],
        text: Phrase.excerpt(choice.text, limit: 60))
    }
    html.end("select")
    html.end("label")
  }

  private func field(
    _ name: String, _ label: String, type: String = "text", suggesting values: [String] = [],
    _ html: inout HTML
  ) {
    let list = values.isEmpty ? nil : "known-\(name)"
    html.begin("label")
    html.element("span", text: label)
    html.begin(
      "input",
      [
        "type": type, "name": name, "value": request.http.head.query(name), "size": "12",
        "maxlength": "200", "list": list, "placeholder": type == "text" ? "any" : nil,
      ])
    html.end("label")
    guard let list else { return }
    html.begin("datalist", ["id": list])
    for value in Set(values).sorted().prefix(50) { html.begin("option", ["value": value]) }
    html.end("datalist")
  }
}
