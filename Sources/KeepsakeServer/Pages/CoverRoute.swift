import Keepsake
import KeepsakeHTTP

/// The cover of a conversation: the first image in it.
struct CoverRoute: Route {
  let endpoint = Endpoint(
    .get, "/s/{session}/cover", "The first image of a conversation", answer: .file)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    guard let label = try await session.summary().cover,
      let artifact = try await session.attachment(label).artifact
    else { throw Problem.notFound("This conversation has no image.") }
    return try await ArtifactAnswer(artifact).response(to: request.http.head, isImmutable: false)
  }
}
