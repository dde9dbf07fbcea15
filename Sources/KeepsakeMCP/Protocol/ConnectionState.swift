import Keepsake

/// The state of one connection, for which a transport keeps it between messages.
package struct ConnectionState: Sendable {
  /// The revision that a handshake agreed on; nil before one.
  package internal(set) var handshake: Revision?
  /// The name that the client gave itself in the handshake.
  var client: String?

  package init() {}

  /// The state of a connection for which another message said the revision, as a header of HTTP does.
  init(handshake: Revision) { self.handshake = handshake }
}
