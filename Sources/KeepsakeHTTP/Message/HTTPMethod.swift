/// A request method that the server passes to a handler.
///
/// HEAD is not among them. The server asks the handler for the answer to GET, and sends it without the body.
package enum HTTPMethod: String, Sendable, Hashable, CaseIterable {
  case get = "GET"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case options = "OPTIONS"
}
