/// Answers the requests of a server.
///
/// The server calls it on a thread of its own for each busy connection, never on the threads that all tasks share, so
/// that it may block. Several requests are answered at the same time.
package protocol HTTPHandler: Sendable {
  /// Decides from the head alone, before a byte of the body is read, whether a request is taken.
  ///
  /// This is the place to check who asks, where from, and for what.
  func admit(_ head: HTTPRequestHead) -> HTTPAdmission

  /// Answers a request that was admitted.
  ///
  /// The task is cancelled when the client goes away, or closes its side of the connection. An answer that is given
  /// all the same is sent if anybody is there.
  func respond(to request: HTTPRequest) async -> HTTPResponse

  /// Words an answer that the server gives by itself, such as to a request that is malformed or came too slowly.
  func answer(to refusal: HTTPRefusal) -> HTTPResponse
}

extension HTTPHandler {
  /// Answers with the reason as plain text.
  package func answer(to refusal: HTTPRefusal) -> HTTPResponse {
    HTTPResponse(refusal.status, text: refusal.reason + "\n")
  }
}
