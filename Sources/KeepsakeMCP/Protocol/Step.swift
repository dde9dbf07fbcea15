package import Keepsake

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

/// What a transport does about a message.
package enum Step: Sendable {
  /// There is no answer.
  case nothing
  /// The answer is here.
  case answer([UInt8])
  /// The answer takes work, to be run by a ``CallQueue``.
  case call(Call)
  /// The client no longer wants the answer to a request.
  case cancel(JSON)
  /// The answers to these, as far as there are any, form one array.
  case batch([Step])
}
