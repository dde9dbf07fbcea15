import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// `GET /api/1/tools/{tool}/artifacts`: the artifacts that a tool made.
struct ToolArtifactsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/tools/{tool}/artifacts", "List what a tool made, in the order of recording",
    query: [
      .init("limit", .number(1...1000, usual: 50), "The most artifacts."),
      .init("after", .cursor, "The cursor that the page before gave."),
    ], answer: .json(.page("artifacts", of: .product)))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let page = try await server.store.audit(
      tool: request.names["tool"] ?? "", limit: try request.number("limit"),
      after: try request.cursor("after", as: Audit.Cursor.self))
    return .page(
      "artifacts", page.products, next: page.next?.description, to: request.http.head
    ) { $1.write($0) }
  }
}
