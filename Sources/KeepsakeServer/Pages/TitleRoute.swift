import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The head of a conversation, for a page that shows it.
struct TitleRoute: Route {
  let endpoint = Endpoint(.get, "/s/{session}/title", "The head of a conversation", answer: .page)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let summary = try await request.session(in: server.store).summary()
    return Shell.part {
      SessionTitle(summary: summary, isReadOnly: server.isReadOnly).write(to: &$0)
    }
  }
}
