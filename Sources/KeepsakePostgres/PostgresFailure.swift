/// Why a statement has no result.
struct PostgresFailure: Error, Sendable, Hashable {
  /// The state of the statement, as far as it is known.
  enum Kind: Sendable, Hashable {
    /// The server refused it with a code of five characters. Nothing of it was done.
    case refused(String)
    /// It was not sent, because the server could not be reached.
    case unreachable
    /// It was not sent, because the server takes no more connections at the moment.
    case busy
    /// It was sent, and nobody knows whether it was done.
    case unknown
    /// The server answered something that it never should.
    case strange
  }

  let kind: Kind
  /// A sentence, or a part of one, without its end.
  let reason: String

  static func unreachable(_ reason: String) -> Self { Self(kind: .unreachable, reason: reason) }

  static func unknown(_ reason: String) -> Self { Self(kind: .unknown, reason: reason) }

  static func strange(_ reason: String) -> Self {
    Self(kind: .strange, reason: "the server's answer makes no sense: \(reason)")
  }

  /// The code of the server's refusal; nil where it refused nothing.
  var state: String? { if case .refused(let state) = kind { state } else { nil } }

  /// The codes of a server that takes no connection at the moment, because it has no room for another one, or begins or ends its work.
  static let statesOfBusyServers = ["53300", "57P01", "57P02", "57P03"]

  /// Tells whether the same bytes, sent again, may have another result.
  var isPassing: Bool {
    switch kind {
    case .unreachable, .busy, .unknown: true
    case .strange: false
    case .refused(let state):
      // A server that restarts or has no room for another connection, rivals who met, a standby, and statements that a
      // pooler or a change of the tables made unknown.
      state.hasPrefix("08")
        || Self.statesOfBusyServers.contains(state)
        || ["40001", "40P01", "55P03", "25006", "57014", "26000", "0A000"].contains(state)
    }
  }
}

extension PostgresFailure {
  /// The same failure of what comes before a statement, so that nothing of the statement itself was sent.
  var beforeSending: PostgresFailure { kind == .unknown ? .unreachable(reason) : self }
}
