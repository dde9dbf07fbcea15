import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}/entries/{position}/revisions`: what an entry said before.
struct RevisionsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}/entries/{position}/revisions",
    "Read what an entry said before, the oldest first",
    answer: .json(.object([.init("revisions", .array(.revision))])))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let position = try request.position()
    _ = try await request.entry(of: session)
    let revisions = try await session.revisions(of: position)
    return .json(to: request.http.head) { writer in
      writer.beginObject()
      writer.key("revisions")
      writer.array(revisions) { revision, writer in
        writer.beginObject()
        writer.fixed("number", revision.number)
        writer.fixed("replaced", revision.replaced)
        writer.key("entry")
        writer.raw(revision.entry.json)
        writer.endObject()
      }
      writer.endObject()
    }
  }
}
