extension Session {
  /// How far a session is: a cheap way to tell whether anything of it changed.
  package struct Standing: Sendable, Hashable {
    /// The number of entries, with those that a fork shares.
    package let entries: Int
    /// The number of changes in the session's chain.
    package let changes: Int
  }

  /// Reads how far the session is, from its row alone.
  @concurrent
  package func standing() async throws -> Standing {
    try handle.read { db in
      let row = try SessionRow(self, in: db)
      return Standing(entries: row.entries, changes: row.chain.count)
    }
  }

  /// The newest prompts before a position, in their order, for an outline of the session.
  ///
  /// The cost follows the entries between the first and the last of them.
  /// - Parameters:
  ///   - end: The position before which the prompts stand; nil for the end of the session.
  ///   - count: The most prompts.
  @concurrent
  package func prompts(before end: Int? = nil, count: Int) async throws -> [Entry] {
    try handle.read { db in
      let entries = try SessionRow.entries(of: self, in: db)
      var positions: [Int] = []
      for stretch in lineage.stretches(0..<min(end ?? entries, entries)).reversed() {
        guard positions.count < count else { break }
        positions += try db.entries.newestPrompts(
          in: EntryID.range(stretch.positions, of: stretch.piece.session),
          atMost: count - positions.count)
      }
      let reader = EntryReader(self, in: db)
      return try positions.reversed().flatMap { try reader.entries($0..<($0 + 1)) }
    }
  }
}
