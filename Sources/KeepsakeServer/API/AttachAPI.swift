import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// `POST /api/1/sessions/{session}/attachments`: an artifact that the store has is attached, to an entry or to the session.
///
/// The answer comes when the attachment is durable. A program that gets none sends the request again with the same `label`:
/// what is there already is answered, and nothing is attached twice.
struct AttachAPI: Route {
  private static let makers = ["user", "response", "toolCall", "step", "source"]
  private static let members: [Shape.Member] = [
    .init("artifact", .artifactID), .init("position", .nullable(.integer), isRequired: false),
    .init("mediaType", .nullable(.string), isRequired: false),
    .init("fileName", .nullable(.string), isRequired: false),
    .init("label", .nullable(.string), isRequired: false),
    .init("caption", .nullable(.string), isRequired: false),
    .init("maker", .nullable(.choice(makers)), isRequired: false),
    .init("callID", .nullable(.string), isRequired: false),
    .init("tool", .nullable(.string), isRequired: false),
    .init("reference", .nullable(.string), isRequired: false),
  ]

  let endpoint = Endpoint(
    .post, "/api/1/sessions/{session}/attachments",
    "Attach an artifact that the store has, to an entry or to the session",
    body: .json(.object(members)), answer: .json(.attachment))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let given = try GivenMembers(request.http.bytes, knowing: Set(Self.members.map(\.name)))
    guard let text = try given.text("artifact"), let id = Artifact.ID(text) else {
      throw Problem.invalid(
        "'artifact' is missing, or no name of one: sha256: and 64 hexadecimal digits.")
    }
    let position = try given.position("position")
    if let label = try given.text("label"),
      let known = try await Self.attachment(label, of: session)
    {
      guard known.artifact?.id == id, position == nil || known.position == position else {
        throw Problem(
          status: 409, code: "conflict", detail: "Another attachment of the session has that label."
        )
      }
      return .json(to: request.http.head) { $0.raw(known.json) }
    }
    var new = Entry.NewAttachment(
      .artifact(id), mediaType: try given.text("mediaType").map { MediaType($0) },
      fileName: try given.text("fileName"), label: try given.text("label"),
      caption: try given.text("caption"), madeBy: try Self.maker(given))
    new.reference = try given.text("reference")
    let attachment = try await AppendAPI.naming { [new] in
      try await session.attach(new, to: position)
    }
    return .json(.created, to: request.http.head) { $0.raw(attachment.json) }
  }

  private static func attachment(_ label: String, of session: Session) async throws
    -> Entry.Attachment?
  {
    do { return try await session.attachment(label) } catch let error as KeepsakeError
      where error.code == .notFound
    {
      // The session itself may be gone.
      _ = try await session.standing()
      return nil
    }
  }

  private static func maker(_ given: GivenMembers) throws(Problem) -> Entry.MadeBy {
    let callID = try given.text("callID")
    let tool = try given.text("tool")
    switch try given.text("maker") ?? (callID == nil ? "user" : "toolCall") {
    case "user": return .user
    case "response": return .response
    case "source": return .source
    case "toolCall":
      guard let callID else {
        throw .invalid("'callID' is missing: it names the call that made the artifact.")
      }
      return .toolCall(Entry.ToolCall(id: callID, tool: tool ?? "", arguments: "{}"))
    case "step":
      guard let tool else {
        throw .invalid("'tool' is missing: it names the step that made the artifact.")
      }
      return .step(tool)
    default: throw .invalid("'maker' is one of \(makers.joined(separator: ", ")).")
    }
  }
}
