import Keepsake
import KeepsakeHTTP

/// `GET /api/1/stats`: how much the store holds.
struct StatisticsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/stats", "Say how much the store holds", answer: .json(.statistics))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let found = try await server.store.statistics()
    return .json(to: request.http.head) { $0.write(found) }
  }
}
