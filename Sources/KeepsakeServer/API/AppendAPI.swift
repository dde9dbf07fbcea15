import Keepsake
import KeepsakeHTTP

/// `POST /api/1/sessions/{session}/entries`: an entry is appended.
///
/// The answer comes when the entry is durable. A program that gets none sends the request again with the same
/// `Idempotency-Key`, which is the entry's key: the entry is there once.
struct AppendAPI: Route {
  let endpoint = Endpoint(
    .post, "/api/1/sessions/{session}/entries", "Append an entry",
    fields: [
      .init("Idempotency-Key", .text, "The entry's key: the same request again adds nothing.")
    ],
    body: .json(
      .object(
        [
          .init("kind", .string), .init("text", .string, isRequired: false),
          .init("attachments", .array(.object([], isOpen: true)), isRequired: false),
        ], isOpen: true), limit: 16 << 20), answer: .json(.appended))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    var entry: Entry
    do {
      entry = try EntryInput.entry(try JSON(validating: request.http.bytes), now: server.now)
    } catch let fault as EntryInput.Fault {
      throw Problem.invalid(fault.message)
    } catch let error as JSONError { throw Problem.invalid("The body is no JSON: \(error)") }
    if let key = try Self.key(request.http.head) {
      guard entry.key == nil || entry.key == key else {
        throw Problem.invalid("'Idempotency-Key' and the entry's 'key' are not the same.")
      }
      entry.key = key
    }
    let before = try await session.standing().entries
    let stored = try await Self.naming { [entry] in
      try await session.append(copies: [entry]).first
    }
    guard let stored, let position = stored.position else {
      throw Problem(status: 500, code: "failed", detail: "The entry was not stored.")
    }
    return .json(position < before ? .ok : .created, to: request.http.head) { writer in
      writer.beginObject()
      writer.fixed("position", position)
      writer.fixed("id", stored.id)
      writer.strings("labels", stored.attachments.map(\.label))
      writer.endObject()
    }
  }

  /// The entry's key in the field `Idempotency-Key`, with or without quotes; nil where there is none.
  private static func key(_ head: HTTPRequestHead) throws(Problem) -> String? {
    let given = head.fields.values(of: "Idempotency-Key")
    guard let text = given.first else { return nil }
    let isQuoted = text.hasPrefix("\"") && text.hasSuffix("\"") && text.utf8.count > 1
    let key = isQuoted ? String(text.dropFirst().dropLast()) : text
    guard given.count == 1, (1...255).contains(key.utf8.count) else {
      throw .invalid("'Idempotency-Key' is a text of 1 to 255 bytes, and stands once.")
    }
    return key
  }

  /// Does something that names an artifact, and says so where the store does not have the artifact: the address that was
  /// asked is not what is missing.
  static func naming<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch let error as KeepsakeError
      where error.code == .notFound && (error.object?.hasPrefix("sha256:") ?? false)
    {
      throw Problem(
        status: 422, code: "artifact-unknown",
        detail:
          "The store does not have \(error.object ?? "the artifact"). Send its bytes first: PUT /api/1/artifacts/DIGEST."
      )
    }
  }
}
