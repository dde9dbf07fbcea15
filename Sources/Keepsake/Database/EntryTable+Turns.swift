import KeepsakeSQLite

extension EntryTable {
  /// Finds the turn of an entry.
  func turn(of id: EntryID) throws -> Int? {
    let find = try db.prepare("SELECT turn FROM entry WHERE id = ?")
    find.bind(id)
    return try find.step() ? find.optionalInt(in: .count) : nil
  }

  /// Finds the turn and the lane of an entry; nil if the entry is not there.
  func turnAndLane(of id: EntryID) throws -> (turn: Int?, lane: String?)? {
    let find = try db.prepare("SELECT turn, lane FROM entry WHERE id = ?")
    find.bind(id)
    guard try find.step() else { return nil }
    return (try find.optionalInt(in: .count), find.optionalText())
  }

  /// Finds the turn of the last entry in a range that is of a lane, or is a prompt to all lanes; nil if there is none.
  func lastTurn(of lane: String?, in range: ClosedRange<EntryID>) throws -> Int?? {
    let find = try db.prepare(
      """
      SELECT turn FROM entry WHERE id BETWEEN ?1 AND ?2
        AND (lane IS ?3 OR kind = ?4 AND lane IS NULL) ORDER BY id DESC LIMIT 1
      """)
    find.bind(range)
    find.bind(lane)
    find.bind(Entry.Kind.prompt.code)
    guard try find.step() else { return nil }
    return .some(try find.optionalInt(in: .count))
  }

  /// Finds the number of the newest turn before a position, or 0. If turns don't overlap, it is the last entry's.
  func newestTurn(before position: Int, in lineage: Lineage, areOverlapping: Bool) throws -> Int {
    var turn = 0
    for stretch in lineage.stretches((areOverlapping ? 0 : max(0, position - 1))..<position) {
      let range = EntryID.range(stretch.positions, of: stretch.piece.session)
      turn = max(turn, try highestTurn(in: range) ?? 0)
    }
    return turn
  }

  /// Finds the highest turn of a range.
  private func highestTurn(in range: ClosedRange<EntryID>) throws -> Int? {
    let find = try db.prepare("SELECT max(turn) FROM entry WHERE id BETWEEN ? AND ?")
    find.bind(range)
    return try find.step() ? find.optionalInt(in: .count) : nil
  }

  /// Lists the turns that the entries of a range belong to, as if the first entry of each had begun it.
  func begunTurns(in range: ClosedRange<EntryID>) throws -> [Turn] {
    // SQLite takes the columns beside min(id) from the row that has this id: the first entry of the turn.
    let find = try db.prepare(
      """
      SELECT turn, lane, created, min(id) FROM entry
      WHERE id BETWEEN ? AND ? AND turn IS NOT NULL GROUP BY turn
      """)
    find.bind(range)
    var turns: [Turn] = []
    while try find.step() {
      turns.append(
        Turn(
          number: try find.int(in: .ordinal), lane: find.optionalText(),
          begunAt: EntryTime.date(find.int64())))
    }
    return turns
  }

  /// Lists the numbers of the turns that the entries of a session belong to from a position on.
  func turns(of session: Int64, from position: Int) throws -> Set<Int> {
    let find = try db.prepare("SELECT DISTINCT turn FROM entry WHERE id BETWEEN ? AND ?")
    find.bind(EntryID(session: session, position: position))
    find.bind(EntryID(session: session, position: EntryID.maximumPosition))
    var turns: Set<Int> = []
    while try find.step() {
      if let turn = try find.optionalInt(in: .ordinal) { turns.insert(turn) }
    }
    return turns
  }
}
