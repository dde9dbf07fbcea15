import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// `GET /api/1/artifacts/{digest}`: the exact bytes of an artifact.
struct ArtifactBytesAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/artifacts/{digest}", "Get the exact bytes of an artifact", answer: .file)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    guard let id = request.artifactID else {
      throw Problem.notFound("No artifact has that digest.")
    }
    let artifact: Artifact
    do { artifact = try await server.store.artifact(id) } catch let error as KeepsakeError
      where error.code == .notFound
    {
      var problem = Problem.notFound(error.message)
      let offset = server.uploads.offset(of: id)
      if offset > 0 { problem.fields["Upload-Offset"] = "\(offset)" }
      throw problem
    }
    let answer = try await ArtifactAnswer(artifact).response(
      to: request.http.head, isImmutable: true, name: artifact.id.digest.hex)
    if let problem = Problem(answer) { throw problem }
    return answer
  }
}
