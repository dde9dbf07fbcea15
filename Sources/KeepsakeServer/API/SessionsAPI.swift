import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions`: the sessions, the newest first.
struct SessionsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions", "List sessions, the newest first",
    query: [
      .init("limit", .number(1...1000, usual: 50), "The most sessions."),
      .init("after", .cursor, "The cursor that the page before gave."),
      .init("since", .time, "Only those with entries of that time or later."),
      .init("until", .time, "Only those from before that time."),
      .init("model", .text, "Only those of this model."),
      .init("tool", .text, "Only those with a call of this tool."),
      .init("tag", .text, "Only those with this tag."),
      .init("origin", .text, "Only those of this origin."),
      .init("has", .text, "Only those with an image, audio, video, or a whole media type."),
      .init("text", .text, "Words of the title, or of the beginning of the first prompt."),
    ], answer: .json(.page("sessions", of: .session)))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let page = try await server.store.sessions(
      Session.Filter(
        since: try request.time("since"), until: try request.time("until"),
        model: request.text("model"), tool: request.text("tool"), sessionTag: request.text("tag"),
        origin: request.text("origin"), has: request.text("has"), text: request.text("text")),
      limit: try request.number("limit"),
      after: try request.cursor("after", as: Session.Cursor.self))
    return .page(
      "sessions", page.sessions, next: page.next?.description, to: request.http.head
    ) { $1.write($0) }
  }
}
