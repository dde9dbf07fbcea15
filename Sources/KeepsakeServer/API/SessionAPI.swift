import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}`: one session.
struct SessionAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}", "Describe a session", answer: .json(.session))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let summary = try await request.session(in: server.store).summary()
    return .json(to: request.http.head) { $0.write(summary) }
  }
}
