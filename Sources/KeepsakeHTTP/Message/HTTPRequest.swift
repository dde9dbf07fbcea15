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

  /// Tells whether a program of another user of this machine sent the request; false if the system does not say who did.
  package var isOfAnotherUser: Bool { client.peerOwner.map { !$0.mayActForUs } ?? false }
}
