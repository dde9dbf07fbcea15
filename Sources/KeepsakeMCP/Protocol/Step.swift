package import Keepsake

/// The next step of a transport with a message.
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
