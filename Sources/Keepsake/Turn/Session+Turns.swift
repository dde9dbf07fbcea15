#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SQLite

extension Session {
  /// Opens the next turn. Durable when it returns; entries that are appended from now on belong to it.
  @concurrent
  public func openTurn() async throws -> Turn {
    let session = self
    return try await core.write { change in
      var row = try SessionRow(session, in: change.db)
      row.turns += 1
      let opened = session.core.now()
      let insert = try change.db.prepare(
        "INSERT INTO turn (session, number, opened) VALUES (?, ?, ?)")
      insert.bind(session.number, at: 1)
      insert.bind(row.turns, at: 2)
      insert.bind(opened, at: 3)
      try insert.run()
      try row.save(in: change.db)
      let turn = Turn(number: row.turns, opened: Date(microseconds: opened), attempts: 1)
      change.publish(.turn(session: session.id, turn))
      return turn
    }
  }

  /// Closes a turn with what happened. Not stopped by the caller's cancellation; a turn that is closed stays as it is.
  @concurrent @discardableResult
  public func close(
    _ turn: Turn, _ outcome: Turn.Outcome, detail: String? = nil, attempts: Int? = nil
  ) async throws -> Turn {
    let session = self
    return try await core.writeUncancelled { change in
      _ = try SessionRow(session, in: change.db)
      let update = try change.db.prepare(
        """
        UPDATE turn SET closed = ?, outcome = ?, detail = ?, attempts = coalesce(?, attempts)
        WHERE session = ? AND number = ? AND closed IS NULL
        """)
      update.bind(session.core.now(), at: 1)
      update.bind(outcome.code, at: 2)
      update.bind(detail, at: 3)
      update.bind(attempts, at: 4)
      update.bind(session.number, at: 5)
      update.bind(turn.number, at: 6)
      try update.run()
      guard let closed = try session.turn(turn.number, in: change.db) else {
        throw KeepsakeError(
          .notFound, "Session \(session.id) has opened no turn \(turn.number).",
          object: session.id.uuidString)
      }
      change.publish(.turn(session: session.id, closed))
      return closed
    }
  }

  /// The turns that were opened, oldest first; with `open`, only those that were never closed.
  @concurrent
  public func turns(open: Bool = false) async throws -> [Turn] {
    try core.read { db in
      _ = try SessionRow(self, in: db)
      let find = try db.prepare(
        """
        SELECT number, opened, closed, outcome, detail, attempts FROM turn
        WHERE session = ? AND (? = 0 OR closed IS NULL) ORDER BY number
        """)
      find.bind(number, at: 1)
      find.bind(open, at: 2)
      var turns: [Turn] = []
      while try find.step() { turns.append(try turn(find)) }
      return turns
    }
  }

  func turn(_ number: Int, in db: Connection) throws -> Turn? {
    let find = try db.prepare(
      """
      SELECT number, opened, closed, outcome, detail, attempts FROM turn
      WHERE session = ? AND number = ?
      """)
    find.bind(self.number, at: 1)
    find.bind(number, at: 2)
    return try find.step() ? turn(find) : nil
  }

  private func turn(_ row: borrowing Statement) throws -> Turn {
    Turn(
      number: try row.int(0, in: .ordinal), opened: Date(microseconds: row.int64(1)),
      closed: row.optionalInt64(2).map(Date.init(microseconds:)),
      outcome: try row.optionalInt(3).map { try .init(code: $0, of: "a turn of session \(id)") },
      detail: row.optionalText(4), attempts: try row.int(5, in: .count))
  }

  /// Whether the newest turn was opened and no prompt has come to it yet.
  func openTurnWithoutPrompt(_ turn: Int, row: SessionRow, in db: Connection) throws -> Bool {
    guard turn > 0, try self.turn(turn, in: db).map({ $0.closed == nil }) ?? false else {
      return false
    }
    // Entries of a turn stand together at the end: the newest prompt tells.
    let newest = try db.prepare(
      "SELECT turn, kind FROM entry WHERE id BETWEEN ? AND ? ORDER BY id DESC")
    newest.bind(EntryID(session: number, position: 0).rawValue, at: 1)
    newest.bind(EntryID(session: number, position: EntryID.maximumPosition).rawValue, at: 2)
    while try newest.step(), newest.optionalInt(0) == turn {
      if newest.int(1) == Entry.Kind.prompt.code { return false }
    }
    return true
  }
}
