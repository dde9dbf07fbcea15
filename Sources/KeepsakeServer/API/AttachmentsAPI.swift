import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}/attachments`: all that is attached in a session.
struct AttachmentsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}/attachments",
    "List what is attached in a session, in the order of recording",
    query: [
      .init("limit", .number(1...1000, usual: 50), "The most attachments."),
      .init("after", .cursor, "The cursor that the page before gave."),
    ], answer: .json(.page("attachments", of: .attachment)))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let page = try await session.attachments(
      limit: try request.number("limit"),
      after: try request.cursor("after", as: RecordedPage<Entry.Attachment>.Cursor.self))
    return .page(
      "attachments", page.elements, next: page.next?.description, to: request.http.head
    ) { $1.raw($0.json) }
  }
}
