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
