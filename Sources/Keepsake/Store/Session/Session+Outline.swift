extension Session {
  /// Returns the call that each tool output answers, by the position of the output.
  /// - Parameter calls: The positions of the calls; nil for all. The cost follows the outputs of these calls.
  @concurrent
  package func answers(to calls: Range<Int>? = nil) async throws
    -> [Int: Entry.Attachment.CallReference]
  {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      return try db.entries.answers(
        to: (calls ?? 0..<end).clamped(to: 0..<end), in: lineage, below: end)
    }
  }

  /// Finds the calls that the outputs of a range answer, by the outputs' positions. The cost follows the range.
  @concurrent
  package func calls(answeredBy outputs: Range<Int>) async throws
    -> [Int: Entry.Attachment.CallReference]
  {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      return try db.entries.calls(
        answeredBy: outputs.clamped(to: 0..<end), in: lineage, below: end)
    }
  }

  /// Returns the number of earlier contents of each entry, by position. Entries that never changed are left out.
  /// - Parameter positions: The positions of the entries; nil for all.
  @concurrent
  package func revisionCounts(of positions: Range<Int>? = nil) async throws -> [Int: Int] {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      var counts: [Int: Int] = [:]
      for stretch in lineage.stretches((positions ?? 0..<end).clamped(to: 0..<end)) {
        // The changes that came after a fork was made do not show in it.
        let found = try db.revisions.counts(
          in: EntryID.range(stretch.positions, of: stretch.piece.session),
          through: stretch.piece.changes ?? .max)
        for (position, count) in found { counts[position] = count }
      }
      return counts
    }
  }
}
