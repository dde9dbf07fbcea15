import KeepsakeHTTP

/// Answers the requests to one endpoint.
///
/// To add a route, write a type in a file of its own, and add a line to ``Routes/all``.
protocol Route: Sendable {
  var endpoint: Endpoint { get }

  /// Answers a request that the gate let through, and whose query the endpoint declares.
  ///
  /// - Throws: A ``Problem``, or an error of the store, which becomes one.
  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse
}
