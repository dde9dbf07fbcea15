import KeepsakeSQLite

extension Session {
  /// Which of its entries are live: an app shows what was taken back in another way, or not at all.
  ///
  /// Looks through the session's rows for events that go back, and reads nothing of others.
  @concurrent
  public func livePath() async throws -> LivePath {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      var returns: [(position: Int, target: Int)] = []
      for stretch in lineage.stretches(0..<end) {
        // A text may hold the name as well: what is found is read.
        let find = try db.prepare(
          """
          SELECT id, body FROM entry
          WHERE id BETWEEN ? AND ? AND kind = ? AND instr(body, '"continuesAfter"') > 0 ORDER BY id
          """)
        let owner = stretch.piece.session
        let positions = stretch.positions
        find.bind(EntryID(session: owner, position: positions.lowerBound))
        find.bind(EntryID(session: owner, position: positions.upperBound - 1))
        find.bind(Entry.Kind.event.code)
        while try find.step() {
          var event = Entry(.event)
          try EntryBody.decode(find.span(1), into: &event)
          guard let target = event.continuesAfter else { continue }
          returns.append((find.entryID(0).position, target))
        }
      }
      return LivePath(0..<end, returns: returns)
    }
  }
}
