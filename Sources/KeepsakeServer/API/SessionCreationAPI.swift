#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP

/// `POST /api/1/sessions`: a new session.
///
/// A program that does not know whether its request arrived sends it again with the same `id`: what is there already
/// is answered, and no second one is made.
struct SessionCreationAPI: Route {
  let endpoint = Endpoint(
    .post, "/api/1/sessions", "Create a session",
    body: .json(
      .object([
        .init("id", .uuid, isRequired: false),
        .init("title", .nullable(.string), isRequired: false),
        .init("origin", .nullable(.string), isRequired: false),
        .init("tags", .array(.string), isRequired: false),
        .init("metadata", .nullable(.object([], isOpen: true)), isRequired: false),
      ])), answer: .json(.session))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let given = try GivenMembers(
      request.http.bytes, knowing: ["id", "title", "origin", "tags", "metadata"])
    let id = try given.id("id") ?? UUID()
    var status = HTTPStatus.created
    let session: Session
    do {
      session = try await server.store.createSession(
        title: try given.text("title"), id: id, origin: try given.text("origin"),
        tags: try given.texts("tags") ?? [], metadata: try given.object("metadata"))
    } catch let error as KeepsakeError where error.code == .conflict && given.has("id") {
      session = try await server.store.session(id)
      status = .ok
    }
    return try await .session(session, status, to: request.http.head)
  }
}
