#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The drafts that stream and the tools that run in a session, for a page that shows it.
struct NowRoute: Route {
  let endpoint = Endpoint(.get, "/s/{session}/now", "What streams and runs now", answer: .page)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let now = try await RunningNow(of: try await request.session(in: server.store))
    return Shell.part { now.write(to: &$0) }
  }
}
