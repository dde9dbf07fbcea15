/// The decision about a request, made from its head.
package enum HTTPAdmission: Sendable {
  /// The request is answered at once, and the connection is closed.
  case refuse(HTTPResponse)
  /// The request is taken. A body that is larger than the limit in bytes is refused with 413.
  case accept(bodyLimit: Int)
  /// The request is taken, and its body is given to the handler as a stream, with a limit in bytes for the whole.
  case stream(bodyLimit: Int64)
}
