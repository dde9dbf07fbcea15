import KeepsakeSQLite

extension EntryReader {
  /// Returns the positions of a turn's entries. They are one range, unless turns overlap.
  func stretches(ofTurn turn: Int, below end: Int) throws -> [Range<Int>] {
    guard try db.sessions.areTurnsOverlapping(in: lineage.session) else {
      // Turns only grow along the session, so their limits are found by halving.
      let start = try firstPosition(turn: turn, below: end)
      return [start..<max(start, try firstPosition(turn: turn + 1, below: end))]
    }
    var found: [Range<Int>] = []
    for stretch in lineage.stretches(0..<end) {
      let find = try db.connection.prepare(
        "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND coalesce(turn, 0) = ? ORDER BY id")
      let owner = stretch.piece.session
      find.bind(EntryID.range(stretch.positions, of: owner))
      find.bind(turn)
      while try find.step() {
        let position = find.entryID().position
        if let last = found.last, last.upperBound == position {
          found[found.count - 1] = last.lowerBound..<(position + 1)
        } else {
          found.append(position..<(position + 1))
        }
      }
    }
    return found
  }

  /// Returns a position before which there is no prompt, near to the first prompt, without reading entries one by one.
  func beginningOfTurns(below end: Int) throws -> Int {
    try db.sessions.areTurnsOverlapping(in: lineage.session)
      ? 0 : firstPosition(turn: 1, below: end)
  }

  /// Returns the first position whose turn is at least the given one, in a session whose turns don't overlap.
  private func firstPosition(turn: Int, below end: Int) throws -> Int {
    var low = 0
    var high = end
    while low < high {
      let middle = (low + high) / 2
      if try self.turn(at: middle) < turn { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func turn(at position: Int) throws -> Int {
    try db.entries.turn(of: lineage.id(of: position)) ?? 0
  }
}
