#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Session {
  /// Opens the next turn, which is durable when this returns. What is recorded from now on belongs to the turn, until it is
  /// closed.
  ///
  /// A turn may have several prompts: one that only the model sees, say, beside the person's own. A turn that is not closed
  /// when its process ends is interrupted.
  /// - Parameter lane: The lane whose turn it is; nil for a turn of all lanes. What other lanes record belongs to turns of
  ///   their own, also while this one is open.
  @concurrent
  public func openTurn(lane: String? = nil) async throws -> Turn {
    let session = self
    let owner = try handle.instance()
    return try await handle.write(in: id) { change in
      var row = try SessionRow(session, in: change.db)
      if try lane != nil || !session.openTurns(in: change.db).isEmpty { row.overlapTurns() }
      row.turns += 1
      let opened = session.handle.now()
      try change.db.turns.insert(row.turns, opened: opened, lane: lane, of: session.number)
      let number = Int64(row.turns)
      try change.locally {
        try $0.db.running.begin(.turn, number, of: session.number, owner: owner)
      }
      try row.save(in: change.db)
      let turn = Turn(
        number: row.turns, lane: lane, opened: Date(microseconds: opened))
      change.publish(.turn(session: session.id, turn))
      return turn
    }
  }

  /// Closes a turn with its outcome. The caller's cancellation does not stop this. A turn that is closed already stays as it
  /// is, unless it was taken for interrupted.
  @concurrent @discardableResult
  public func close(
    _ turn: Turn, _ outcome: Turn.Outcome, detail: String? = nil, attempts: Int? = nil
  ) async throws -> Turn {
    let session = self
    return try await handle.write(in: id, isCancellable: false) { change in
      _ = try SessionRow(session, in: change.db)
      return try session.close(
        turn.number, outcome, detail: detail, attempts: attempts, in: change)
    }
  }

  /// Closes a turn inside of a write transaction.
  func close(
    _ turn: Int, _ outcome: Turn.Outcome, detail: String? = nil, attempts: Int? = nil,
    in change: Change
  ) throws -> Turn {
    try change.db.turns.close(
      turn, outcome, at: handle.now(), detail: detail, attempts: attempts, of: number)
    guard let closed = try self.turn(turn, in: change.db) else {
      throw KeepsakeError(
        .notFound, "Session \(id) has opened no turn \(turn).", object: id.uuidString)
    }
    try change.locally { try $0.db.running.end(.turn, Int64(turn), of: number) }
    change.publish(.turn(session: id, closed))
    return closed
  }

  /// Lists the turns of the session, the oldest first: turns that were opened, and turns that a prompt began by itself.
  /// With `open`, only turns that were opened and go on.
  ///
  /// A fork has the turns that it shares. A turn of which a fork shares only the beginning counts as begun by its prompt,
  /// because it goes on differently in the fork. Listing costs a look at each entry.
  @concurrent
  public func turns(open: Bool = false) async throws -> [Turn] {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      if open {
        return try openTurns(in: db).reversed().compactMap { try turn($0.number, in: db) }
      }
      return try turns(of: 0..<end, in: db)
    }
  }

  /// Lists the turns that some entries belong to, and the turns that were opened here since the first of these, the oldest
  /// first.
  func turns(of positions: Range<Int>, in db: Tables) throws -> [Turn] {
    var turns: [Int: Turn] = [:]
    let own = try db.turns.all(of: number, id: id)
    for stretch in lineage.stretches(positions) {
      let owner = stretch.piece.session
      let opened = owner == number ? own : try db.turns.all(of: owner, id: id)
      let cut: Set<Int> =
        owner == number ? [] : try db.entries.turns(of: owner, from: stretch.positions.upperBound)
      let range = EntryID.range(stretch.positions, of: owner)
      for begun in try db.entries.begunTurns(in: range) where turns[begun.number] == nil {
        turns[begun.number] = cut.contains(begun.number) ? begun : opened[begun.number] ?? begun
      }
    }
    let first = positions.lowerBound == 0 ? 0 : turns.keys.min() ?? 0
    for turn in own.values where turn.number >= first { turns[turn.number] = turn }
    return turns.values.sorted { $0.number < $1.number }
  }

  /// Finds a turn that this session opened.
  func turn(_ number: Int, in db: Tables) throws -> Turn? {
    try db.turns.turn(number, of: self.number, id: id)
  }
}
