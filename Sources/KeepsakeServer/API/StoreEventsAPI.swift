import Keepsake
import KeepsakeHTTP

/// `GET /api/1/events`: what changes in the store, as it happens.
struct StoreEventsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/events", "Follow what changes in the store, as it happens", answer: .events)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    try await EventsRoute().answer(request, in: server)
  }
}
