import KeepsakeFiles

/// A link of a session's chain, without the number of its change.
struct ChainLink: Sendable, Hashable {
  /// The operation as it is stored, which may be unknown to this version.
  let operation: Int
  let position: Int
  let digest: SHA256Digest

  /// Tells whether the link's position is an entry's; any other position is the number of the change that recorded the row.
  var isOfEntry: Bool {
    switch Chain.Operation(rawValue: operation) {
    case .append, .revise, .adopt, .eraseEntry: true
    default: false
    }
  }

  /// Tells whether the change took content out of a row.
  var erases: Bool {
    operation == Chain.Operation.erase.rawValue || operation == Chain.Operation.eraseEntry.rawValue
  }
}
