#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP

/// `GET /api/1/search`: the entries that have some words.
struct SearchAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/search", "Find entries by their words",
    query: [
      .init(
        "q", .text, "Words, phrases in quotes, beginnings as in ban*, and -words to leave out."),
      .init("session", .text, "Only entries of the session with this id."),
      .init("kind", .choice(Entry.Kind.allCases.map(\.rawValue)), "Only entries of this kind."),
      .init("tool", .text, "Only calls of this tool, and what it gave back."),
      .init("model", .text, "Only entries of this model."),
      .init("tag", .text, "Only entries with this tag."),
      .init("since", .time, "Only entries of that time or later."),
      .init("until", .time, "Only entries from before that time."),
      .init(
        "order", .choice(SearchOrder.allCases.map(\.rawValue)), "The newest first, or the best."),
      .init("limit", .number(1...100, usual: 20), "The most hits."),
      .init("after", .cursor, "The cursor that the page before gave."),
    ], answer: .json(.page("hits", of: .hit)))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    guard let query = request.text("q") else {
      throw Problem.invalid("'q' is missing: it has the words to find.")
    }
    var session: UUID?
    if let text = request.text("session") {
      guard let id = UUID(uuidString: text) else {
        throw Problem.invalid("'session' is no id of a session.")
      }
      session = id
    }
    let kind = try request.choice("kind").flatMap(Entry.Kind.init(rawValue:))
    let scope = SearchScope(
      kinds: kind.map { [$0] } ?? [], session: session, tool: request.text("tool"),
      model: request.text("model"), tag: request.text("tag"), since: try request.time("since"),
      until: try request.time("until"))
    let page = try await server.store.search(
      query, in: scope,
      order: try request.choice("order").flatMap(SearchOrder.init(rawValue:)) ?? .newest,
      limit: try request.number("limit"),
      after: try request.cursor("after", as: SearchCursor.self))
    var ids: [SearchHit.ID: UUID] = [:]
    for hit in page.hits {
      do {
        ids[hit.id] = try await server.store.session(hit.session).entry(at: hit.position).id
      } catch let error as KeepsakeError where error.code == .notFound {
        // The session was deleted after it was found.
      }
    }
    return .page("hits", page.hits, next: page.next?.description, to: request.http.head) {
      $1.write($0, entry: ids[$0.id])
    }
  }
}
