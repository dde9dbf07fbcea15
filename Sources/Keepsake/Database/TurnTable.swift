#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The statements over the table of turns that were opened.
struct TurnTable {
  let db: Connection
}

extension Tables {
  var turns: TurnTable { TurnTable(db: connection) }
}

// MARK: - Writing

extension TurnTable {
  /// Inserts a turn that is opened.
  func insert(_ number: Int, opened: Int64, lane: String?, of session: Int64) throws {
    let insert = try db.prepare(
      "INSERT INTO turn (session, number, opened, lane) VALUES (?, ?, ?, ?)")
    insert.bind(session)
    insert.bind(number)
    insert.bind(opened)
    insert.bind(lane)
    try insert.run()
  }

  /// Stores how a turn ended, unless it has ended already without being interrupted.
  func close(
    _ number: Int, _ outcome: Turn.Outcome, at closed: Int64, detail: String?, attempts: Int?,
    of session: Int64
  ) throws {
    let update = try db.prepare(
      """
      UPDATE turn SET closed = ?, outcome = ?, detail = ?, attempts = coalesce(?, attempts)
      WHERE session = ? AND number = ? AND (outcome IS NULL OR outcome = ?)
      """)
    update.bind(closed)
    update.bind(outcome.code)
    update.bind(detail)
    update.bind(attempts)
    update.bind(session)
    update.bind(number)
    update.bind(Turn.Outcome.interrupted.code)
    try update.run()
  }
}

// MARK: - Reading

extension TurnTable {
  private static let columns = "number, lane, opened, closed, outcome, detail, attempts"

  /// Finds a turn that a session opened.
  /// - Parameters:
  ///   - number: The number of the turn.
  ///   - session: The number of the session.
  ///   - id: The id of the session, which an error names.
  func turn(_ number: Int, of session: Int64, id: UUID) throws -> Turn? {
    let find = try db.prepare(
      text: "SELECT \(Self.columns) FROM turn WHERE session = ? AND number = ?")
    find.bind(session)
    find.bind(number)
    return try find.step() ? turn(find, of: id) : nil
  }

  /// Reads the turns that a session opened, by number.
  func all(of session: Int64, id: UUID) throws -> [Int: Turn] {
    let find = try db.prepare(text: "SELECT \(Self.columns) FROM turn WHERE session = ?")
    find.bind(session)
    var turns: [Int: Turn] = [:]
    while try find.step() {
      let turn = try turn(find, of: id)
      turns[turn.number] = turn
    }
    return turns
  }

  private func turn(_ row: borrowing Statement, of id: UUID) throws -> Turn {
    Turn(
      number: try row.int(in: .ordinal), lane: row.optionalText(),
      opened: Date(microseconds: row.int64()),
      closed: row.optionalInt64().map(Date.init(microseconds:)),
      outcome: try row.optionalInt().map { try .init(code: $0, of: "a turn of session \(id)") },
      detail: row.optionalText(), attempts: try row.int(in: .count))
  }

  /// Reads the lanes of open turns. Turns that are not there are left out.
  func open(_ numbers: some Sequence<Int64>, of session: Int64) throws -> [OpenTurn] {
    let find = try db.prepare("SELECT lane FROM turn WHERE session = ? AND number = ?")
    var turns: [OpenTurn] = []
    for number in numbers {
      find.reset()
      find.bind(session)
      find.bind(number)
      if try find.step() {
        turns.append(OpenTurn(number: Int(number), lane: find.optionalText()))
      }
    }
    return turns
  }

  /// Reads the outcomes of the turns that a session opened, by number; nil for a turn that has not ended.
  func outcomes(of session: Int64, id: UUID) throws -> [Int: Turn.Outcome?] {
    let find = try db.prepare("SELECT number, outcome FROM turn WHERE session = ?")
    find.bind(session)
    var outcomes: [Int: Turn.Outcome?] = [:]
    while try find.step() {
      let number = find.int()
      outcomes[number] = .some(
        try find.optionalInt().map { try .init(code: $0, of: "a turn of session \(id)") })
    }
    return outcomes
  }

  /// Lists the turns of a session that ended without an answer.
  func failed(of session: Int64) throws -> Set<Int> {
    let find = try db.prepare(
      "SELECT number FROM turn WHERE session = ? AND outcome IS NOT NULL AND outcome <> 0")
    find.bind(session)
    var turns: Set<Int> = []
    while try find.step() { turns.insert(find.int()) }
    return turns
  }

  /// Lists the turns of a session, from a first one on, that belong to other lanes alone.
  func ofOtherLanes(than lane: String, from first: Int, of session: Int64) throws -> Set<Int> {
    let find = try db.prepare(
      """
      SELECT number FROM turn WHERE session = ?1 AND number >= ?2 AND lane <> ?3
      UNION SELECT turn FROM entry WHERE id BETWEEN ?4 AND ?5 AND turn >= ?2 AND kind = ?6
        AND lane <> ?3
        AND NOT EXISTS (SELECT 1 FROM turn WHERE session = ?1 AND number = entry.turn)
      """)
    find.bind(session)
    find.bind(first)
    find.bind(lane)
    find.bind(EntryID.all(of: session))
    find.bind(Entry.Kind.prompt.code)
    var turns: Set<Int> = []
    while try find.step() { turns.insert(try find.int(in: .count)) }
    return turns
  }
}
