import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}/invocations`: the runs of tools and of steps of the app.
struct InvocationsAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}/invocations", "List the runs of a session, the oldest first",
    query: [
      .init("running", .flag, "Only those that have not ended."),
      .init("limit", .number(1...1000, usual: 50), "The most runs."),
      .init("after", .cursor, "The cursor that the page before gave."),
    ], answer: .json(.page("invocations", of: .invocation)))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let page = try await session.invocations(
      running: request.flag("running"), limit: try request.number("limit"),
      after: try request.cursor("after", as: RecordedPage<Invocation>.Cursor.self))
    return .page(
      "invocations", page.elements, next: page.next?.description, to: request.http.head
    ) { $1.write(whole: $0) }
  }
}

extension JSONWriter {
  /// Writes all that is known of a run.
  fileprivate mutating func write(whole run: Invocation) {
    beginObject()
    fixed("id", run.id)
    fixed("maker", run.maker.rawValue)
    fixed("name", run.name)
    fixed("turn", run.turn)
    fixed("started", run.started)
    fixed("ended", run.ended)
    fixed("outcome", run.outcome?.rawValue)
    fixed("detail", run.detail)
    fixed("arguments", run.description.arguments)
    fixed("output", run.output)
    fixed("callID", run.callID)
    fixed("basis", run.basis?.rawValue)
    fixed("implementation", run.description.implementation)
    fixed("version", run.description.version)
    fixed("model", run.description.model)
    fixed("parameters", run.description.parameters)
    endObject()
  }
}
