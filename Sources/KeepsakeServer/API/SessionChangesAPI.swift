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

extension HTTPResponse {
  /// The answer with a session that was made, and its address.
  fileprivate static func session(
    _ session: Session, _ status: HTTPStatus, to head: HTTPRequestHead
  ) async throws -> HTTPResponse {
    let summary = try await session.summary()
    var answer = HTTPResponse.json(status, to: head) { $0.write(summary) }
    answer.fields["Location"] = "/api/1/sessions/\(session.id.uuidString.lowercased())"
    return answer
  }
}

/// `PATCH /api/1/sessions/{session}`: another title, other tags, other metadata of the app.
struct SessionChangeAPI: Route {
  let endpoint = Endpoint(
    .patch, "/api/1/sessions/{session}", "Rename a session, or give it other tags or metadata",
    body: .json(
      .object([
        .init("title", .nullable(.string), isRequired: false),
        .init("tags", .array(.string), isRequired: false),
        .init("metadata", .nullable(.object([], isOpen: true)), isRequired: false),
      ])), answer: .json(.session))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let given = try GivenMembers(request.http.bytes, knowing: ["title", "tags", "metadata"])
    let title = try given.text("title")
    let metadata = try given.object("metadata")
    if let tags = try given.texts("tags") {
      let old = try await session.summary().tags
      try await session.tag(
        tags.filter { !old.contains($0) }, removing: old.filter { !tags.contains($0) })
    }
    if given.has("title") { try await session.rename(title) }
    if given.has("metadata") { try await session.setMetadata(metadata) }
    let summary = try await session.summary()
    return .json(to: request.http.head) { $0.write(summary) }
  }
}

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

/// `DELETE /api/1/sessions/{session}`: a session is deleted, with the artifacts that nothing else has.
struct SessionDeletionAPI: Route {
  let endpoint = Endpoint(
    .delete, "/api/1/sessions/{session}",
    "Delete a session, and the artifacts that nothing else has",
    answer: .nothing)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    _ = try await server.store.deleteSession(session.id)
    return HTTPResponse(.noContent)
  }
}
