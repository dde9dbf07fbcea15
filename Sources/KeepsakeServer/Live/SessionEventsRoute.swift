import Keepsake
import KeepsakeHTTP

/// The events of one session, for those who show it.
struct SessionEventsRoute: Route {
  let endpoint = Endpoint(
    .get, "/s/{session}/events", "What happens in a session", answer: .events)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let stream = try await server.live.open(.session(session.id), of: session) {
      LiveEvent.hello(try await session.standing())
    }
    return HTTPResponse(.ok, ["Content-Type": "text/event-stream"], body: .events(stream))
  }
}
