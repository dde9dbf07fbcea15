import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The page `/search`: the entries that have some words, with the words marked.
struct SearchRoute: Route {
  let endpoint = Endpoint(.get, "/search", "Entries by their words", answer: .page)

  private static let page = 30

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let query = request.text("q") ?? ""
    let isPart = request.text("part") != nil
    let hits: Hits
    do {
      hits = try await Self.hits(query, request, in: server)
    } catch let error as KeepsakeError where error.cause is SearchQueryError {
      hits = Hits(complaint: error.message)
    }
    if isPart { return Shell.part { hits.write(to: &$0, at: server) } }
    return Shell(title: "Search", query: query, script: "/assets/list.js").answer { html in
      html.markup("<h1 class=\"aside\">Search</h1><div id=\"hits\">")
      hits.write(to: &html, at: server)
      html.markup("</div>")
    }
  }

  private static func hits(_ query: String, _ request: Request, in server: ServerState)
    async throws -> Hits
  {
    guard !query.isEmpty else { return Hits() }
    let scope = SearchScope(
      tool: request.text("tool"), model: request.text("model"), tag: request.text("tag"),
      since: try request.time("since"), until: try request.time("until"))
    let cursor = try request.cursor("after", as: SearchCursor.self)
    let found = try await server.store.search(
      Self.open(query), in: scope, limit: page, after: cursor)
    let titled =
      cursor == nil && scope == SearchScope()
      ? try await server.store.sessions(.init(text: query), limit: 5).sessions : []
    return Hits(
      titled: titled, entries: found.hits,
      more: found.next.map {
        Address.with("/search", [("q", query), ("after", $0.description)])
      }, unindexed: found.unindexed)
  }
}

extension SearchRoute {
  /// The query of somebody who may not have finished the last word: words with that beginning are found, too.
  fileprivate static func open(_ query: String) -> String {
    let quotes = query.count { $0 == "\"" }
    guard let last = query.last, last.isLetter || last.isNumber, quotes.isMultiple(of: 2) else {
      return query
    }
    return query + "*"
  }
}

/// The hits of a search, as they are drawn.
private struct Hits {
  var titled: [Session.Summary] = []
  var entries: [SearchHit] = []
  var more: String?
  var unindexed = 0
  /// A sentence about a query that is not understood.
  var complaint: String?

  func write(to html: inout HTML, at server: ServerState) {
    if let complaint { return html.element("p", ["class": "empty"], text: complaint) }
    if titled.isEmpty, entries.isEmpty {
      return html.element("p", ["class": "empty"], text: "Nothing found.")
    }
    html.markup("<ul class=\"rows\">")
    let list = SessionList(now: server.now)
    for session in titled { list.row(session, to: &html) }
    for hit in entries { row(hit, to: &html, at: server) }
    html.markup("</ul>")
    if unindexed > 2000 {
      html.element(
        "p", ["class": "note"],
        text: "\(unindexed.grouped) entries are not indexed yet, and were read one by one.")
    }
    html.begin("p", ["class": "more"])
    if let more { html.element("a", ["class": "button", "href": more], text: "More") }
    html.end("p")
  }

  private func row(_ hit: SearchHit, to html: inout HTML, at server: ServerState) {
    html.markup("<li class=\"row\"><span class=\"cover none\" aria-hidden=\"true\">")
    html.text(Self.sign(of: hit.kind))
    html.markup("</span><div>")
    html.element("h2") { html in
      html.element(
        "a", ["href": Address.session(hit.session, at: hit.position), "dir": "auto"],
        text: Phrase.excerpt(hit.title ?? "Without a title", limit: 120))
    }
    html.begin("p", ["dir": "auto"])
    hit.snippet.write(to: &html)
    html.end("p")
    html.markup("<div class=\"facts\">")
    html.element("span", text: "\(hit.kind.name), entry \(hit.position)")
    html.markup("</div></div><div class=\"when\">")
    if let created = hit.created {
      html.element(
        "time", ["datetime": Phrase.machine(created), "title": Phrase.time(created)],
        text: Age.text(of: created, at: server.now))
    }
    html.markup("</div></li>\n")
  }

  private static func sign(of kind: Entry.Kind) -> String {
    switch kind {
    case .prompt: "?"
    case .response: "❝"
    case .toolCalls, .toolOutput: "⚙"
    case .reasoning: "…"
    default: "·"
    }
  }
}

extension SearchHit.Snippet {
  /// Writes the snippet, with the words that were found marked.
  fileprivate func write(to html: inout HTML) {
    let utf8 = Array(text.utf8)
    var end = 0
    for range in ranges where range.lowerBound >= end && range.upperBound <= utf8.count {
      html.text(String(decoding: utf8[end..<range.lowerBound], as: UTF8.self))
      html.element("mark", text: String(decoding: utf8[range], as: UTF8.self))
      end = range.upperBound
    }
    html.text(String(decoding: utf8[end...], as: UTF8.self))
  }
}
