import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}/forks`: the sessions that were forked from a session.
struct ForksAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}/forks",
    "List the sessions that were forked from what is a session's own",
    answer: .json(.object([.init("sessions", .array(.session))])))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let forks = try await request.session(in: server.store).forks()
    return .json(to: request.http.head) { writer in
      writer.beginObject()
      writer.key("sessions")
      writer.array(forks) { $1.write($0) }
      writer.endObject()
    }
  }
}
