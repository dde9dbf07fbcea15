import KeepsakeFiles

/// A request with its body.
package struct HTTPRequest: Sendable {
  package let head: HTTPRequestHead
  /// The connection to the client, for asking who that is.
  let client: StreamSocket
  /// The whole body, where it was accepted whole; empty where it is a stream.
  package let bytes: [UInt8]
  /// The body to be read in pieces, where it was accepted as a stream.
  package let stream: HTTPBodyStream?

  /// Whether a program of another user of this machine asks; false where that can't be told.
  package var isOfAnotherUser: Bool { client.peerOwner.map { !$0.mayActForUs } ?? false }
}
