import KeepsakeHTTP
import KeepsakeMCP

/// `POST /mcp`: the questions of models, over the Model Context Protocol.
///
/// The gate has looked at `Host`, `Origin` and the proof before. Everything else is the protocol's.
struct MCPRoute: Route {
  let endpoint = Endpoint(
    .post, "/mcp", "Answer a model, over the Model Context Protocol", body: .message,
    answer: .json(.anything))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    guard let models = server.models else {
      throw Problem.notFound("This server does not answer models: start it with --mcp.")
    }
    let head = request.http.head
    let reply = await models.answer(
      to: HTTPCall(
        method: head.method.rawValue, fields: head.fields.all.map { ($0.name, $0.value) },
        body: request.http.bytes))
    var fields = HTTPFields()
    for (name, value) in reply.fields { fields.append(name, value) }
    return HTTPResponse(
      HTTPStatus(reply.status), fields, body: reply.body.isEmpty ? .none : .bytes(reply.body))
  }
}
