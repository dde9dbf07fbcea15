import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}/entries/{position}`: one entry.
struct EntryAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}/entries/{position}", "Read an entry", answer: .json(.entry))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let entry = try await request.entry(of: session)
    return .json(to: request.http.head) { $0.raw(entry.json) }
  }
}
