import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// `PUT /api/1/artifacts/{digest}`: the bytes of an artifact, which entries name by their digest.
///
/// A program asks with `HEAD` first, and sends only what the store does not have. An upload above 8 MiB may come in parts, each with its
/// `Content-Range`, and goes on after it was cut off: `HEAD` says in `Upload-Offset` how much has come. An artifact that no entry names is
/// swept after a while, so the entry is appended next.
struct UploadAPI: Route {
  let endpoint = Endpoint(
    .put, "/api/1/artifacts/{digest}", "Give the bytes of an artifact", body: .bytes,
    answer: .nothing)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    guard let id = request.artifactID else {
      throw Problem.notFound("No artifact has that digest.")
    }
    do {
      _ = try await server.store.artifact(id)
      return HTTPResponse(.noContent)
    } catch let error as KeepsakeError where error.code == .notFound {}
    guard let body = request.http.stream else {
      throw Problem(
        status: 411, code: "length",
        detail: "Say with 'Content-Length' how many bytes the artifact has.")
    }
    let isWhole = try await server.uploads.take(body, as: id, try Uploads.Part(request.http.head))
    guard isWhole else {
      return HTTPResponse(.accepted, ["Upload-Offset": "\(server.uploads.offset(of: id))"])
    }
    return HTTPResponse(.created)
  }
}
