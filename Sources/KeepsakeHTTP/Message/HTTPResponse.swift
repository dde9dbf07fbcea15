import KeepsakeFiles

/// An answer to a request.
///
/// The server adds `Date`, `Content-Length` or `Transfer-Encoding`, and `Connection`; all other fields are the
/// handler's. Control characters in fields are sent as spaces, so that no text can add a line to the header.
package struct HTTPResponse: Sendable {
  package var status: HTTPStatus
  package var fields: HTTPFields
  package var body: Body

  /// The content of a response.
  package enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// A part of an open file, which is sent without a copy where the system can.
    case file(HTTPFile, Range<Int64>)
    /// Pieces that are asked for one after the other, until nil. They are sent as they come.
    ///
    /// They are asked for on the connection's thread. Where one throws, the connection is cut off, so that the client
    /// sees that something is missing.
    case pieces(@Sendable () async throws -> [UInt8]?)
    /// Server-sent events, for as long as both sides like.
    case events(EventStream)
  }

  package init(_ status: HTTPStatus = .ok, _ fields: HTTPFields = [:], body: Body = .none) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A response of text, with its type.
  package init(
    _ status: HTTPStatus = .ok, text: String, type: String = "text/plain; charset=utf-8"
  ) {
    self.init(status, ["Content-Type": type], body: .bytes(Array(text.utf8)))
  }
}
