#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP

/// `DELETE /api/1/sessions/{session}`: a session is deleted, with the artifacts that nothing else has.
struct SessionDeletionAPI: Route {
  let endpoint = Endpoint(
    .delete, "/api/1/sessions/{session}",
    "Delete a session, and the artifacts that nothing else has",
    answer: .nothing)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    _ = try await server.store.deleteSession(session.id)
    return HTTPResponse(.noContent)
  }
}
