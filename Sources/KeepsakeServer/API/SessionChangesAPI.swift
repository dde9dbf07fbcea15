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
      ])), answer: .json(.session))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let given = try GivenMembers(request.http.bytes, knowing: ["id", "title", "origin", "tags"])
    var id = UUID()
    if let text = try given.text("id") {
      guard let named = UUID(uuidString: text) else { throw Problem.invalid("'id' is no UUID.") }
      id = named
    }
    var status = HTTPStatus.created
    let session: Session
    do {
      session = try await server.store.createSession(
        title: try given.text("title"), id: id, origin: try given.text("origin"),
        tags: try given.texts("tags") ?? [])
    } catch let error as KeepsakeError where error.code == .conflict && given.has("id") {
      session = try await server.store.session(id)
      status = .ok
    }
    let summary = try await session.summary()
    var answer = HTTPResponse.json(status, to: request.http.head) { $0.write(summary) }
    answer.fields["Location"] = "/api/1/sessions/\(id.uuidString.lowercased())"
    return answer
  }
}

/// `PATCH /api/1/sessions/{session}`: another title, other tags.
struct SessionChangeAPI: Route {
  let endpoint = Endpoint(
    .patch, "/api/1/sessions/{session}", "Rename a session, or give it other tags",
    body: .json(
      .object([
        .init("title", .nullable(.string), isRequired: false),
        .init("tags", .array(.string), isRequired: false),
      ])), answer: .json(.session))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let given = try GivenMembers(request.http.bytes, knowing: ["title", "tags"])
    let title = try given.text("title")
    if let tags = try given.texts("tags") {
      let old = try await session.summary().tags
      try await session.tag(
        tags.filter { !old.contains($0) }, removing: old.filter { !tags.contains($0) })
    }
    if given.has("title") { try await session.rename(title) }
    let summary = try await session.summary()
    return .json(to: request.http.head) { $0.write(summary) }
  }
}

/// `POST /api/1/sessions/{session}/fork`: a session that shares the beginning of another.
struct ForkAPI: Route {
  let endpoint = Endpoint(
    .post, "/api/1/sessions/{session}/fork", "Fork a session before a position",
    body: .json(
      .object([
        .init("before", .nullable(.integer), isRequired: false),
        .init("title", .nullable(.string), isRequired: false),
      ])), answer: .json(.session))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let given = try GivenMembers(request.http.bytes, knowing: ["before", "title"])
    let fork = try await session.fork(
      before: try given.position("before"), title: try given.text("title"))
    let summary = try await fork.summary()
    var answer = HTTPResponse.json(.created, to: request.http.head) { $0.write(summary) }
    answer.fields["Location"] = "/api/1/sessions/\(fork.id.uuidString.lowercased())"
    return answer
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

/// `POST /api/1/sessions/{session}/entries`: an entry is appended.
///
/// The answer comes when the entry is durable. A program that gets none sends the request again with the same
/// `Idempotency-Key`, which is the entry's key: the entry is there once.
struct AppendAPI: Route {
  let endpoint = Endpoint(
    .post, "/api/1/sessions/{session}/entries", "Append an entry",
    body: .json(
      .object(
        [
          .init("kind", .string), .init("text", .string, isRequired: false),
          .init("attachments", .array(.object([], isOpen: true)), isRequired: false),
        ], isOpen: true)), answer: .json(.appended))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    var entry: Entry
    do {
      entry = try EntryInput.entry(try JSON(validating: request.http.bytes), now: server.now)
    } catch let fault as EntryInput.Fault {
      throw Problem.invalid(fault.message)
    } catch let error as JSONError { throw Problem.invalid("The body is no JSON: \(error)") }
    if let key = request.http.head.fields["Idempotency-Key"] {
      let value =
        key.hasPrefix("\"") && key.hasSuffix("\"") && key.utf8.count > 1
        ? String(key.dropFirst().dropLast()) : key
      guard !value.isEmpty, value.utf8.count <= 255 else {
        throw Problem.invalid("'Idempotency-Key' is a text of 1 to 255 bytes.")
      }
      guard entry.key == nil || entry.key == value else {
        throw Problem.invalid("'Idempotency-Key' and the entry's 'key' are not the same.")
      }
      entry.key = value
    }
    let before = try await session.standing().entries
    guard let stored = try await session.append(copies: [entry]).first,
      let position = stored.position
    else { throw Problem(status: 500, code: "failed", detail: "The entry was not stored.") }
    return .json(position < before ? .ok : .created, to: request.http.head) { writer in
      writer.beginObject()
      writer.fixed("position", position)
      writer.fixed("id", stored.id)
      writer.strings("labels", stored.attachments.map(\.label))
      writer.endObject()
    }
  }
}
