import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// `GET /api/1/artifacts`: the artifacts, the newest first.
struct ArtifactsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/artifacts", "List artifacts, the newest first",
    query: [
      .init("type", .text, "Only image, audio, video, or a whole media type."),
      .init("limit", .number(1...1000, usual: 50), "The most artifacts."),
      .init("after", .cursor, "The cursor that the page before gave."),
    ], answer: .json(.page("artifacts", of: .artifact)))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let page = try await server.store.artifacts(
      ofType: request.text("type"), limit: try request.number("limit"),
      after: try request.cursor("after", as: Artifact.Cursor.self))
    return .page(
      "artifacts", page.artifacts, next: page.next?.description, to: request.http.head
    ) { $1.write($0) }
  }
}
