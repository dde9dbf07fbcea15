import Keepsake
import KeepsakeHTTP

/// The events of all sessions, for those who show a list of them.
struct EventsRoute: Route {
  let endpoint = Endpoint(
    .get, "/events", "What changes in the store, as it happens", answer: .events)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let live = server.live
    let stream = try await live.open(.store, of: nil) { LiveEvent.hello(number: live.number) }
    return HTTPResponse(.ok, ["Content-Type": "text/event-stream"], body: .events(stream))
  }
}
