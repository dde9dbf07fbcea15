import KeepsakeSQLite

extension Session {
  /// Returns the call that each tool output answers, by the position of the output.
  @concurrent
  package func answers() async throws -> [Int: Entry.Attachment.CallReference] {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      var answers: [Int: Entry.Attachment.CallReference] = [:]
      for stretch in lineage.stretches(0..<end) {
        let find = try db.prepare(
          """
          SELECT id, call_entry, call_ordinal FROM entry WHERE call_entry BETWEEN ? AND ?
          ORDER BY call_entry, call_ordinal
          """)
        let owner = stretch.piece.session
        find.bind(EntryID.range(stretch.positions, of: owner))
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
  }

  /// Returns the number of earlier contents of each entry, by position. Entries that never changed are left out.
  @concurrent
  package func revisionCounts() async throws -> [Int: Int] {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      var counts: [Int: Int] = [:]
      for stretch in lineage.stretches(0..<end) {
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
