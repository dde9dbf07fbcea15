import KeepsakeFiles

/// Facts for formats that describe the origin of things.
extension Session {
  /// Returns the head of the session's chain as 64 hexadecimal digits, and the number of changes up to it.
  @concurrent
  package func chainHead() async throws -> (head: String, changes: Int) {
    try handle.read { db in
      let chain = try SessionRow(self, in: db).chain
      return (chain.head.hex, chain.count)
    }
  }

  /// Returns the digests of entries by position.
  @concurrent
  package func entryDigests(_ positions: Range<Int>) async throws -> [Int: String] {
    try handle.read { db in try db.entries.digests(of: positions, in: lineage) }
  }

  /// Returns the attachments of this session that belong to no entry, in the order of recording.
  @concurrent
  package func unboundAttachments() async throws -> [Entry.Attachment] {
    try handle.read { db in
      _ = try SessionRow.entries(of: self, in: db)
      return try AttachmentReader(handle, in: db).rowsWithoutEntry(recordedIn: number)
        .map(\.value).filter { $0.direction != .content }
    }
  }
}
