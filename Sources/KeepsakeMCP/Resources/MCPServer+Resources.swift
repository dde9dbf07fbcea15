#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

extension MCPServer {
  /// The answer to `resources/templates/list`, which is how artifacts are reached: their list would be endless.
  func templateList(for request: Request) -> [UInt8] {
    Answer.result(to: request, from: info, lifetime: .long) { writer in
      writer.key("resourceTemplates")
      writer.beginArray()
      writer.beginObject()
      writer.member("uriTemplate", "keepsake://session/{id}{?start,count,offset}")
      writer.member("name", "session")
      if request.revision.has(.titles) { writer.member("title", "A stored session") }
      writer.member(
        "description", "The newest entries of a session, or those from a position on.")
      writer.member("mimeType", "text/plain")
      writer.endObject()
      writer.beginObject()
      writer.member("uriTemplate", "keepsake://artifact/{digest}")
      writer.member("name", "artifact")
      if request.revision.has(.titles) { writer.member("title", "An artifact's exact bytes") }
      writer.member("description", "The bytes of an artifact, by the 64 digits of its SHA-256.")
      writer.endObject()
      writer.endArray()
    }
  }

  /// The call behind a `resources/list`: the newest sessions, a page at a time.
  func resourceList(for request: Request) throws(ProtocolError) -> Call {
    let list = ["resources"]
    var cursor: Session.Cursor?
    if let given = request.parameters["cursor"], !given.isNull {
      guard let text = given.stringValue, let mark = PageMark(text, of: list),
        let known = Session.Cursor(mark.parts[0])
      else { throw ProtocolError(.badParameters, "The cursor is not one of this list.") }
      cursor = known
    }
    return call(for: request) { [self, cursor] store in
      let page = try await store.sessions(limit: ClientLimits.resourcePage, after: cursor)
      return Answer.result(to: request, from: info, lifetime: Answer.Lifetime.none) { writer in
        writer.key("resources")
        writer.beginArray()
        for session in page.sessions { Self.write(session, to: &writer, for: request.revision) }
        writer.endArray()
        writer.member("nextCursor", page.next.map { PageMark([$0.description]).text(of: list) })
      }
    }
  }

  private static func write(
    _ session: Session.Summary, to writer: inout JSONWriter, for revision: Revision
  ) {
    writer.beginObject()
    writer.member("uri", ResourceURI.session(session.id, .init()).text)
    writer.member("name", String(session.id.text.prefix(8)))
    if revision.has(.titles), let title = session.name {
      writer.member("title", VisibleText.line(title))
    }
    writer.member("mimeType", "text/plain")
    if revision.has(.lastModified) {
      writer.member("annotations", ["lastModified": .string(session.updated.text)] as JSON)
    }
    writer.endObject()
  }

  /// The call behind a `resources/read`.
  func resourceRead(for request: Request) throws(ProtocolError) -> Call {
    guard let text = request.parameters["uri"]?.stringValue else {
      throw ProtocolError(.badParameters, "The parameter 'uri' is missing.")
    }
    guard let uri = ResourceURI(text) else { throw Self.noResource(text, request) }
    return call(for: request) { [self] store in
      do {
        switch uri {
        case .session(let id, let stretch):
          return try await read(try await store.session(id), stretch, uri, request)
        case .artifact(let id): return try await read(try await store.artifact(id), uri, request)
        }
      } catch let error as KeepsakeError where error.code == .notFound {
        throw Self.noResource(text, request)
      } catch is ToolError { throw Self.noResource(text, request) }
    }
  }

  private static func noResource(_ uri: String, _ request: Request) -> ProtocolError {
    ProtocolError(
      request.revision.isModern ? .badParameters : .noResource, "Resource not found",
      data: ["uri": .string(String(uri.prefix(300)))])
  }

  /// A call that reads resources, with errors as the protocol has them.
  private func call(
    for request: Request, _ body: @escaping @Sendable (Store) async throws -> [UInt8]
  ) -> Call {
    Call(
      id: request.id, deadline: .seconds(10), progressToken: nil, revision: request.revision
    ) { [self] _ in
      do { return try await store.use(body) } catch let error as ProtocolError {
        return Answer.error(error, id: request.id)
      } catch let error as KeepsakeError {
        let message = "The store can't be read (\(error.code)). A tool says more."
        return Answer.error(ProtocolError(.ownFailure, message), id: request.id)
      } catch {
        return Answer.error(
          ProtocolError(.ownFailure, "The resource could not be read."), id: request.id)
      }
    } refuse: { refusal in
      Answer.error(ProtocolError(.ownFailure, refusal.message), id: request.id)
    }
  }
}

// MARK: - Contents

extension MCPServer {
  /// The text of a session. It is plain text: a client that renders Markdown would fetch the images that a transcript names.
  private func read(
    _ session: Session, _ stretch: ResourceURI.Stretch, _ uri: ResourceURI, _ request: Request
  ) async throws -> [UInt8] {
    let id = session.id
    let wording = SessionReading.Wording { start, count, offset in
      ResourceURI.session(
        id, .init(start: start, count: count, offset: offset > 0 ? offset : nil)
      ).text
    }
    let reading = try await SessionReading(
      session,
      .init(
        start: stretch.start, count: stretch.count ?? 200, offset: stretch.offset ?? 0,
        bytes: ClientLimits.mostText), wording: wording)
    return Answer.result(to: request, from: info, lifetime: Answer.Lifetime.none) { writer in
      Self.write(uri, "text/plain", to: &writer) { $0.member("text", reading.text) }
    }
  }

  /// The bytes of an artifact, which never change; as text where they are text, because not all clients read the rest.
  private func read(
    _ artifact: Artifact, _ uri: ResourceURI, _ request: Request
  ) async throws -> [UInt8] {
    guard artifact.size <= Int64(ClientLimits.resource) else {
      throw ProtocolError(
        .badParameters, "The artifact is larger than what is read as a resource",
        data: [
          "uri": .string(uri.text), "size": .number(artifact.size),
          "limit": .number(Int64(ClientLimits.resource)),
        ])
    }
    let data = try await artifact.data()
    let type = artifact.sniffedType
    let text = type.isText ? String(validating: data, as: UTF8.self) : nil
    return Answer.result(to: request, from: info, lifetime: .long) { writer in
      Self.write(uri, type.essence, to: &writer) { writer in
        if let text {
          writer.member("text", text)
        } else {
          writer.member("blob", base64: data)
        }
      }
    }
  }

  private static func write(
    _ uri: ResourceURI, _ type: String, to writer: inout JSONWriter,
    _ content: (inout JSONWriter) -> Void
  ) {
    writer.key("contents")
    writer.beginArray()
    writer.beginObject()
    writer.member("uri", uri.text)
    writer.member("mimeType", type)
    content(&writer)
    writer.endObject()
    writer.endArray()
  }
}
