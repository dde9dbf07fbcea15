import Keepsake
import KeepsakeHTTP

/// `GET /api/1/tags`: the tags of sessions.
struct TagsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/tags", "List the tags of sessions, and how many sessions have each",
    answer: .json(
      .object([
        .init("tags", .array(.object([.init("tag", .string), .init("sessions", .integer)])))
      ])))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let tags = try await server.store.sessionTags()
    return .json(to: request.http.head) { writer in
      writer.beginObject()
      writer.key("tags")
      writer.array(tags) { tag, writer in
        writer.beginObject()
        writer.fixed("tag", tag.tag)
        writer.fixed("sessions", tag.sessions)
        writer.endObject()
      }
      writer.endObject()
    }
  }
}
