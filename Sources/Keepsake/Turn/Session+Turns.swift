#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

extension Session {
  /// Opens the next turn. Durable when it returns; what is recorded from now on belongs to it, until it is closed.
  ///
  /// Its prompts do, too: one that only the model sees, say, beside the person's own. A turn that is not closed when its
  /// process ends is interrupted.
  /// - Parameter lane: The lane whose turn it is: what other lanes record belongs to turns of their own, also while this
  ///   one is open. nil for a turn of all lanes.
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
      insert.bind(session.number, at: 1)
      insert.bind(row.turns, at: 2)
      insert.bind(opened, at: 3)
      insert.bind(lane, at: 4)
      try insert.run()
      try Running.begin(
        .turn, Int64(row.turns), of: session.number, owner: owner, in: change.db)
      try row.save(in: change.db)
      let turn = Turn(
        number: row.turns, lane: lane, opened: Date(microseconds: opened), attempts: 1)
      change.publish(.turn(session: session.id, turn))
      return turn
    }
  }

  /// Closes a turn with what happened. Not stopped by the caller's cancellation; a turn that is closed stays as it is,
  /// unless it was taken for interrupted.
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

  /// The closing itself, inside of a write transaction.
  func close(
    _ turn: Int, _ outcome: Turn.Outcome, detail: String? = nil, attempts: Int? = nil,
    in change: Change
  ) throws -> Turn {
    let update = try change.db.prepare(
      """
      UPDATE turn SET closed = ?, outcome = ?, detail = ?, attempts = coalesce(?, attempts)
      WHERE session = ? AND number = ? AND (outcome IS NULL OR outcome = ?)
      """)
    update.bind(core.now(), at: 1)
    update.bind(outcome.code, at: 2)
    update.bind(detail, at: 3)
    update.bind(attempts, at: 4)
    update.bind(number, at: 5)
    update.bind(turn, at: 6)
    update.bind(Turn.Outcome.interrupted.code, at: 7)
    try update.run()
    guard let closed = try self.turn(turn, in: change.db) else {
      throw KeepsakeError(
        .notFound, "Session \(id) has opened no turn \(turn).", object: id.uuidString)
    }
    try Running.end(.turn, Int64(turn), of: number, in: change.db)
    change.publish(.turn(session: id, closed))
    return closed
  }

  /// The turns that were opened, oldest first; with `open`, only those that go on.
  @concurrent
  public func turns(open: Bool = false) async throws -> [Turn] {
    try core.read { db in
      _ = try SessionRow(self, in: db)
      let going = open ? Set(try openTurns(in: db).map(\.number)) : []
      let find = try db.prepare(
        """
        SELECT number, opened, closed, outcome, detail, attempts, lane FROM turn
        WHERE session = ? AND (? = 0 OR outcome IS NULL) ORDER BY number
        """)
      find.bind(number, at: 1)
      find.bind(open, at: 2)
      var turns: [Turn] = []
      while try find.step() {
        let turn = try turn(find)
        if !open || going.contains(turn.number) { turns.append(turn) }
      }
      return turns
    }
  }

  func turn(_ number: Int, in db: Connection) throws -> Turn? {
    let find = try db.prepare(
      """
      SELECT number, opened, closed, outcome, detail, attempts, lane FROM turn
      WHERE session = ? AND number = ?
      """)
    find.bind(self.number, at: 1)
    find.bind(number, at: 2)
    return try find.step() ? turn(find) : nil
  }

  private func turn(_ row: borrowing Statement) throws -> Turn {
    Turn(
      number: try row.int(0, in: .ordinal), lane: row.optionalText(6),
      opened: Date(microseconds: row.int64(1)),
      closed: row.optionalInt64(2).map(Date.init(microseconds:)),
      outcome: try row.optionalInt(3).map { try .init(code: $0, of: "a turn of session \(id)") },
      detail: row.optionalText(4), attempts: try row.int(5, in: .count))
  }
}
