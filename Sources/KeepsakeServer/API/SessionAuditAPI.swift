import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}/audit`: which tool made which artifact of a session.
struct SessionAuditAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}/audit", "Say what made the artifacts of a session",
    answer: .json(.audit))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let report = try await request.session(in: server.store).audit()
    return .json(to: request.http.head) { $0.write(report) }
  }
}
