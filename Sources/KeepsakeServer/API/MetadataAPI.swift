import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}/metadata`: what an app keeps with a session.
struct MetadataAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}/metadata", "Read what an app keeps with a session",
    answer: .json(.object([.init("metadata", .nullable(.object([], isOpen: true)))])))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let metadata = try await request.session(in: server.store).metadata()
    return .json(to: request.http.head) { writer in
      writer.beginObject()
      writer.key("metadata")
      if let metadata { writer.raw(metadata) } else { writer.null() }
      writer.endObject()
    }
  }
}
