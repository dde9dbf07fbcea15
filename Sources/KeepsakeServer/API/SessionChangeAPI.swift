#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP

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
