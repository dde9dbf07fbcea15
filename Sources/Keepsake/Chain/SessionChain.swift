import KeepsakeFiles
import KeepsakeSQLite

/// The chain of a session that is written to. Every change adds its link here, and nowhere else.
///
/// A link stands in the row that its change wrote, together with the digest of the row's new content. A row that is
/// written for the first time is inserted with the link that ``begin(_:at:digest:)`` gives. A row that is written again
/// loses the link that it had: ``replace(_:at:by:digest:in:)`` keeps that one in the table `change`, and gives the one
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

  /// Keeps the link that a row is about to lose and adds a new one; the row is then updated with that.
  /// - Parameters:
  ///   - old: The link that stands in the row.
  ///   - position: The entry's position; of every other row, the number of the change that recorded it.
  ///   - operation: The change that writes the row.
  ///   - digest: The digest of what the row is about to hold.
  mutating func replace(
    _ old: RowLink, at position: Int, by operation: Chain.Operation, digest: SHA256Digest,
    in db: Tables
  ) throws -> RowLink {
    try keep(old, at: position, in: db)
    return begin(operation, at: position, digest: digest)
  }

  private func keep(_ link: RowLink, at position: Int, in db: Tables) throws {
    let insert = try db.prepare(
      "INSERT INTO change (session, number, operation, position, digest) VALUES (?, ?, ?, ?, ?)")
    insert.bind(session)
    insert.bind(link.change)
    insert.bind(link.operation)
    insert.bind(position)
    insert.bind(link.digest)
    try insert.run()
  }
}
