import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// `PUT /api/1/artifacts/{digest}`: the bytes of an artifact, which entries name by their digest.
///
/// A program asks with `HEAD` first, and sends only what the store does not have. An upload may come in parts, each with its
/// `Content-Range`. One above 8 MiB goes on after it was cut off: `HEAD` says in `Upload-Offset` how much has come. An artifact
/// that no entry names is swept after a while, so the entry is appended next.
struct UploadAPI: Route {
  let endpoint = Endpoint(
    .put, "/api/1/artifacts/{digest}", "Give the bytes of an artifact",
    fields: [
      .init(
        "Content-Range", .text, "The part of the bytes that the body has: bytes 0-8388607/20000000."
      )
    ], body: .bytes, answer: .nothing)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    guard let id = request.artifactID else {
      throw Problem.invalid(
        "The address ends in no digest: give the SHA-256 as 64 small hexadecimal digits.")
    }
    let part = try UploadPart(request.http.head)
    guard let body = request.http.stream else {
      throw Problem(
        status: 411, code: "length",
        detail: "Say with 'Content-Length' how many bytes the artifact has.")
    }
    do {
      _ = try await server.store.artifact(id)
      Self.leave(body)
      return HTTPResponse(.noContent)
    } catch let error as KeepsakeError where error.code == .notFound {}
    do {
      guard try await server.uploads.take(body, as: id, part) else {
        return HTTPResponse(.accepted, ["Upload-Offset": "\(server.uploads.offset(of: id))"])
      }
    } catch let problem as Problem {
      Self.leave(body)
      throw problem
    }
    return HTTPResponse(.created, ["Location": "/api/1/artifacts/\(id.digest.hex)"])
  }

  /// Reads what is not wanted of a body that is not very large: many a client sends all of it before it reads the answer,
  /// and takes a connection that is closed before for a failure of the network.
  private static func leave(_ body: HTTPBodyStream) {
    guard body.length <= 64 << 20 else { return }
    while (try? body.next()) != nil {}
  }
}
