import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// `GET /api/1/artifacts/{digest}/audit`: where an artifact is, and what made it.
struct ArtifactAuditAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/artifacts/{digest}/audit", "Say where an artifact is, and what made it",
    query: [
      .init("limit", .number(1...1000, usual: 100), "The most places."),
      .init("after", .cursor, "The cursor that the page before gave."),
    ], answer: .json(.trail))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    guard let id = request.artifactID else {
      throw Problem.notFound("No artifact has that digest.")
    }
    let trail = try await server.store.audit(
      id, limit: try request.number("limit"),
      after: try request.cursor("after", as: Audit.Cursor.self))
    return .json(to: request.http.head) { writer in
      writer.beginObject()
      writer.fixed("artifact", trail.artifact.description)
      writer.fixed("size", trail.size)
      writer.writeMembers(of: trail)
      writer.fixed("next", trail.next?.description)
      writer.endObject()
    }
  }
}
