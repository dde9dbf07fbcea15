import Keepsake
import KeepsakeHTTP

/// `GET /api/1/openapi.json`: the description of the API for programs, as OpenAPI 3.1.
///
/// A server that only reads leaves out what it would refuse.
struct DescriptionAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/openapi.json", "Describe the API as OpenAPI 3.1",
    answer: .json(.object([], isOpen: true)))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let endpoints = Routes.all.map(\.endpoint).filter { !server.isReadOnly || !$0.isWriting }
    return .json(to: request.http.head) { Description(endpoints).write(to: &$0) }
  }
}
