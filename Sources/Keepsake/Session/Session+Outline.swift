import KeepsakeSQLite

extension Session {
  /// Returns the call that each tool output answers, by the position of the output.
  /// - Parameter calls: The positions of the calls; nil for all. The cost follows the outputs of these calls.
  @concurrent
  package func answers(to calls: Range<Int>? = nil) async throws
    -> [Int: Entry.Attachment.CallReference]
  {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      return try answers(
        """
        SELECT id, call_entry, call_ordinal FROM entry WHERE call_entry BETWEEN ? AND ?
        ORDER BY call_entry, call_ordinal
        """, (calls ?? 0..<end).clamped(to: 0..<end), end: end, in: db)
    }
  }

  /// The calls that the outputs of a range answer, by the outputs' positions. The cost follows the range.
  @concurrent
  package func calls(answeredBy outputs: Range<Int>) async throws
    -> [Int: Entry.Attachment.CallReference]
  {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      return try answers(
        """
        SELECT id, call_entry, call_ordinal FROM entry
        WHERE id BETWEEN ? AND ? AND call_entry IS NOT NULL
        """, outputs.clamped(to: 0..<end), end: end, in: db)
    }
  }

  private func answers(_ sql: StaticString, _ positions: Range<Int>, end: Int, in db: Tables)
    throws
    -> [Int: Entry.Attachment.CallReference]
  {
    var answers: [Int: Entry.Attachment.CallReference] = [:]
    for stretch in lineage.stretches(positions) {
      let find = try db.prepare(sql)
      find.bind(EntryID.range(stretch.positions, of: stretch.piece.session))
      while try find.step() {
        let answer = find.entryID()
        // It may stand in a fork that this session does not show.
        guard answer.position < end, lineage.id(of: answer.position) == answer else { continue }
        let call = find.entryID()
        let ordinal = try find.int(in: .index)
        answers[answer.position] = .init(position: call.position, ordinal: ordinal)
      }
    }
    return answers
  }

  /// Returns the number of earlier contents of each entry, by position. Entries that never changed are left out.
  /// - Parameter positions: The positions of the entries; nil for all.
  @concurrent
  package func revisionCounts(of positions: Range<Int>? = nil) async throws -> [Int: Int] {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      var counts: [Int: Int] = [:]
      for stretch in lineage.stretches((positions ?? 0..<end).clamped(to: 0..<end)) {
        let find = try db.prepare(
          """
          SELECT entry, count(*) FROM revision WHERE entry BETWEEN ? AND ? AND until <= ?
          GROUP BY entry
          """)
        let owner = stretch.piece.session
        find.bind(EntryID.range(stretch.positions, of: owner))
        // What came after a fork was made does not show in it.
        find.bind(stretch.piece.changes ?? .max)
        while try find.step() {
          let entry = find.entryID()
          counts[entry.position] = find.int()
        }
      }
      return counts
    }
  }
}
