import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The row of one conversation, for a page that shows a list of them.
struct RowRoute: Route {
  let endpoint = Endpoint(.get, "/s/{session}/row", "The row of a conversation", answer: .page)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let summary = try await request.session(in: server.store).summary()
    return Shell.part { SessionList(now: server.now).row(summary, to: &$0) }
  }
}
