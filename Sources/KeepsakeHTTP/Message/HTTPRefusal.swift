/// An answer that the server gives by itself: the request is malformed, too large, too slow, or not allowed.
package struct HTTPRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  package let status: HTTPStatus
  /// A sentence for people. It holds nothing of the request, and nothing of this machine.
  package let reason: String

  package init(_ status: HTTPStatus, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  package var description: String { "\(status.code) \(status.phrase): \(reason)" }
}
