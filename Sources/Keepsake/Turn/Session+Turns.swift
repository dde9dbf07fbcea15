#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

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
    let owner = try core.instance()
    return try await core.write { change in
      var row = try SessionRow(session, in: change.db)
      if try lane != nil || !session.openTurns(in: change.db).isEmpty { row.overlapTurns() }
      row.turns += 1
      let opened = session.core.now()
      let insert = try change.db.prepare(
        "INSERT INTO turn (session, number, opened, lane) VALUES (?, ?, ?, ?)")
      insert.bind(session.number)
      insert.bind(row.turns)
      insert.bind(opened)
      insert.bind(lane)
      try insert.run()
      try Running.begin(
        .turn, Int64(row.turns), of: session.number, owner: owner, in: change.db)
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
    return try await core.writeUncancelled { change in
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
    let update = try change.db.prepare(
      """
      UPDATE turn SET closed = ?, outcome = ?, detail = ?, attempts = coalesce(?, attempts)
      WHERE session = ? AND number = ? AND (outcome IS NULL OR outcome = ?)
      """)
    update.bind(core.now())
    update.bind(outcome.code)
    update.bind(detail)
    update.bind(attempts)
    update.bind(number)
    update.bind(turn)
    update.bind(Turn.Outcome.interrupted.code)
    try update.run()
    guard let closed = try self.turn(turn, in: change.db) else {
      throw KeepsakeError(
        .notFound, "Session \(id) has opened no turn \(turn).", object: id.uuidString)
    }
    try Running.end(.turn, Int64(turn), of: number, in: change.db)
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
    try core.read { db in
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
    let own = try openedTurns(of: number, in: db)
    for stretch in lineage.stretches(positions) {
      let owner = stretch.piece.session
      let opened = owner == number ? own : try openedTurns(of: owner, in: db)
      let cut = owner == number ? [] : try self.turns(after: stretch, in: db)
      for begun in try begunTurns(in: stretch, in: db) where turns[begun.number] == nil {
        turns[begun.number] = cut.contains(begun.number) ? begun : opened[begun.number] ?? begun
      }
    }
    let first = positions.lowerBound == 0 ? 0 : turns.keys.min() ?? 0
    for turn in own.values where turn.number >= first { turns[turn.number] = turn }
    return turns.values.sorted { $0.number < $1.number }
  }

  private func openedTurns(of owner: Int64, in db: Tables) throws -> [Int: Turn] {
    let find = try db.prepare(text: "SELECT \(Self.turnColumns) FROM turn WHERE session = ?")
    find.bind(owner)
    var turns: [Int: Turn] = [:]
    while try find.step() {
      let turn = try turn(find)
      turns[turn.number] = turn
    }
    return turns
  }

  /// Lists the turns that entries belong to, as if the first entry of each had begun it.
  private func begunTurns(
    in stretch: (piece: Lineage.Piece, positions: Range<Int>), in db: Tables
  ) throws -> [Turn] {
    // SQLite takes the columns beside min(id) from the row that has this id: the first entry of the turn.
    let find = try db.prepare(
      """
      SELECT turn, lane, created, min(id) FROM entry
      WHERE id BETWEEN ? AND ? AND turn IS NOT NULL GROUP BY turn
      """)
    let owner = stretch.piece.session
    find.bind(EntryID.range(stretch.positions, of: owner))
    var turns: [Turn] = []
    while try find.step() {
      turns.append(
        Turn(
          number: try find.int(in: .ordinal), lane: find.optionalText(),
          begunAt: EntryTime.date(find.int64())))
    }
    return turns
  }

  /// Lists the turns that go on, in the session that owns a stretch, behind the stretch.
  private func turns(
    after stretch: (piece: Lineage.Piece, positions: Range<Int>), in db: Tables
  ) throws -> Set<Int> {
    let find = try db.prepare("SELECT DISTINCT turn FROM entry WHERE id BETWEEN ? AND ?")
    let owner = stretch.piece.session
    find.bind(EntryID(session: owner, position: stretch.positions.upperBound))
    find.bind(EntryID(session: owner, position: EntryID.maximumPosition))
    var turns: Set<Int> = []
    while try find.step() {
      if let turn = try find.optionalInt(in: .ordinal) { turns.insert(turn) }
    }
    return turns
  }

  func turn(_ number: Int, in db: Tables) throws -> Turn? {
    let find = try db.prepare(
      text: "SELECT \(Self.turnColumns) FROM turn WHERE session = ? AND number = ?")
    find.bind(self.number)
    find.bind(number)
    return try find.step() ? turn(find) : nil
  }

  private static let turnColumns = "number, lane, opened, closed, outcome, detail, attempts"

  private func turn(_ row: borrowing Statement) throws -> Turn {
    Turn(
      number: try row.int(in: .ordinal), lane: row.optionalText(),
      opened: Date(microseconds: row.int64()),
      closed: row.optionalInt64().map(Date.init(microseconds:)),
      outcome: try row.optionalInt().map { try .init(code: $0, of: "a turn of session \(id)") },
      detail: row.optionalText(), attempts: try row.int(in: .count))
  }
}
