import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// A range of the entries of a session, for a page that shows them.
struct EntriesRoute: Route {
  let endpoint = Endpoint(.get, "/s/{session}/entries", "A part of a conversation", answer: .page)

  /// The most entries of one answer.
  private static let limit = 400

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let from = try request.position("from") ?? 0
    let to = try request.position("to") ?? from + 50
    guard from <= to, to - from <= Self.limit else {
      throw Problem.invalid("Ask for a range of at most \(Self.limit) entries.")
    }
    let entries = try await EntryRange(session, from..<to, in: server.store)
    return Shell.part { entries.write(to: &$0) }
  }
}
