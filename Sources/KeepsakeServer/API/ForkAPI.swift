#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP

/// `POST /api/1/sessions/{session}/fork`: a session that shares the beginning of another.
///
/// A program that does not know whether its request arrived sends it again with the same `id`, as for a new session.
struct ForkAPI: Route {
  let endpoint = Endpoint(
    .post, "/api/1/sessions/{session}/fork", "Fork a session before a position",
    body: .json(
      .object([
        .init("before", .nullable(.integer), isRequired: false),
        .init("title", .nullable(.string), isRequired: false),
        .init("id", .uuid, isRequired: false),
      ])), answer: .json(.session))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let given = try GivenMembers(request.http.bytes, knowing: ["before", "title", "id"])
    let before = try given.position("before")
    let id = try given.id("id")
    var status = HTTPStatus.created
    let fork: Session
    do {
      fork = try await session.fork(
        before: before, title: try given.text("title"), id: id ?? UUID())
    } catch let error as KeepsakeError where error.code == .conflict && id != nil {
      guard let id else { throw error }
      fork = try await server.store.session(id)
      let there = try await fork.summary()
      guard there.forkOf == session.id, before == nil || there.forkPosition == before else {
        throw error
      }
      status = .ok
    }
    return try await .session(fork, status, to: request.http.head)
  }
}
