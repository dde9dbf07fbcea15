import KeepsakeHTTP

/// The exact bytes of an artifact, by its digest.
struct BytesRoute: Route {
  let endpoint = Endpoint(
    .get, "/artifacts/{digest}", "The bytes of an artifact",
    query: [.init("name", .text, "The name under which the bytes are saved.")], answer: .file)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let artifact = try await request.artifact(in: server.store)
    return try await ArtifactAnswer(artifact).response(
      to: request.http.head, isImmutable: true, name: request.text("name"))
  }
}
