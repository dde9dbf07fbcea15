import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}/events`: what happens in a session, as it happens.
struct SessionEventsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}/events", "Follow what happens in a session", answer: .events)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    try await SessionEventsRoute().answer(request, in: server)
  }
}
