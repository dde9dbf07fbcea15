import KeepsakeFiles

extension SessionChain {
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
    try db.changes.insert(old, at: position, of: session)
    return begin(operation, at: position, digest: digest)
  }
}
