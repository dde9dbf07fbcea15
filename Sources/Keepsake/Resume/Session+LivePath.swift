import KeepsakeSQLite

extension Session {
  /// Finds the session's live entries, so that an app can show entries that were taken back in another way or not at all.
  ///
  /// The cost is a look at each event of the session.
  /// - Returns: The path of live entries.
  /// - Throws: A ``KeepsakeError`` if the session can't be read.
  @concurrent
  public func livePath() async throws -> LivePath {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      var returns: [(position: Int, target: Int)] = []
      for stretch in lineage.stretches(0..<end) {
        // A text in the body may contain the name as well, so each found body is decoded.
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
