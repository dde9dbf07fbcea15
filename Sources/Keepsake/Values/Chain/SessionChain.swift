import KeepsakeFiles

/// The chain of a session that is written to. Every change adds its link here, and nowhere else.
///
/// A link stands in the row that its change wrote, together with the digest of the row's new content. A row that is
/// written for the first time is inserted with the link that ``begin(_:at:digest:)`` gives. A row that is written again
/// loses the link that it had: `replace` keeps that one in the table `change`, and gives the one
/// that the row is updated with. So each link of the chain is found exactly once, which is what verifying asks for.
struct SessionChain {
  /// The number of the session.
  let session: Int64
  /// The chain up to the newest link.
  private(set) var end: Chain

  init(_ end: Chain, of session: Int64) {
    self.end = end
    self.session = session
  }

  var head: SHA256Digest { end.head }
  var count: Int { end.count }
  /// The number that the next link gets.
  var next: Int { end.count + 1 }

  /// Adds the first link of a row; the row is then inserted with it.
  mutating func begin(_ operation: Chain.Operation, at position: Int, digest: SHA256Digest)
    -> RowLink
  {
    let change = end.add(operation, position: position, digest: digest)
    return RowLink(operation: operation, change: change, digest: digest)
  }
}
