/// A request with its body.
package struct HTTPRequest: Sendable {
  package let head: HTTPRequestHead
  /// The whole body, where it was accepted whole; empty where it is a stream.
  package let bytes: [UInt8]
  /// The body to be read in pieces, where it was accepted as a stream.
  package let stream: HTTPBodyStream?
}
