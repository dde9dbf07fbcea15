/// The reason why no answer came.
package struct TransportFault: Error, Sendable, Hashable {
  /// The prospects of another attempt.
  package enum Kind: Sendable, Hashable {
    /// A connection ended, or was slow: another attempt may succeed.
    case passing
    /// The server was not reached: a few more attempts are worth it.
    case unreached
    /// Another attempt fails as this one did.
    case lasting
  }

  /// The prospects of another attempt.
  package let kind: Kind
  /// What happened, as a part of a sentence.
  package let reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
