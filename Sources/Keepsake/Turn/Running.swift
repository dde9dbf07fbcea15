#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The marks of turns that are open and of runs that have not ended, each with the id of the open store that began it.
enum Running {
  enum Kind: Int { case turn, invocation }

  static func begin(
    _ kind: Kind, _ number: Int64, of session: Int64, owner: UUID, in db: Tables
  ) throws {
    let insert = try db.prepare(
      "INSERT INTO running (session, kind, number, owner) VALUES (?, ?, ?, ?)")
    insert.bind(session)
    insert.bind(kind)
    insert.bind(number)
    insert.bind(owner.bytes)
    try insert.run()
  }

  static func end(_ kind: Kind, _ number: Int64, of session: Int64, in db: Tables) throws {
    let delete = try db.prepare(
      "DELETE FROM running WHERE session = ? AND kind = ? AND number = ?")
    delete.bind(session)
    delete.bind(kind)
    delete.bind(number)
    try delete.run()
  }

  /// Lists the numbers of the turns or runs that go on in a session, oldest first. A turn or run whose process has ended
  /// does not go on.
  static func numbers(
    _ kind: Kind, of session: Int64, core: StoreCore, in db: Tables
  ) throws -> [Int64] {
    let find = try db.prepare(
      "SELECT number, owner FROM running WHERE session = ? AND kind = ? ORDER BY number")
    find.bind(session)
    find.bind(kind)
    var numbers: [Int64] = []
    while try find.step() {
      let number = find.int64()
      if try core.store.liveness.isAlive(find.bytes()) { numbers.append(number) }
    }
    return numbers
  }
}

// MARK: - The turn that goes on

extension Session {
  /// Lists the open turns of the session, newest first.
  func openTurns(in db: Tables) throws -> [OpenTurn] {
    let numbers = try Running.numbers(.turn, of: number, core: core, in: db)
    if numbers.isEmpty { return [] }
    let find = try db.prepare("SELECT lane FROM turn WHERE session = ? AND number = ?")
    return try numbers.reversed().compactMap { turn in
      find.reset()
      find.bind(number)
      find.bind(turn)
      return try find.step() ? OpenTurn(number: Int(turn), lane: find.optionalText()) : nil
    }
  }

  /// Finds the open turn of a lane, else the open turn of all lanes.
  private func openTurn(of lane: String?, row: inout SessionRow, in db: Tables) throws -> Int? {
    let open = try row.openTurns ?? openTurns(in: db)
    row.openTurns = open
    if let lane, let own = open.first(where: { $0.lane?.isSameText(as: lane) ?? false }) {
      return own.number
    }
    return open.first { $0.lane == nil }?.number
  }

  /// Finds the turn to which a thing belongs that a lane, or somebody without one, records now; nil where there is none yet.
  ///
  /// The turn is the open one of the lane, else the open one of all lanes, else the one in which the lane, or somebody
  /// without a lane, last had a prompt.
  func currentTurn(of lane: String?, row: inout SessionRow, in db: Tables) throws -> Int? {
    if row.turns == 0 { return nil }
    guard row.hasOverlappingTurns else { return row.turns }
    if let open = try openTurn(of: lane, row: &row, in: db) { return open }
    for stretch in lineage.stretches(0..<row.entries).reversed() {
      let find = try db.prepare(
        """
        SELECT turn FROM entry WHERE id BETWEEN ?1 AND ?2
          AND (lane IS ?3 OR kind = ?4 AND lane IS NULL) ORDER BY id DESC LIMIT 1
        """)
      let owner = stretch.piece.session
      find.bind(EntryID.range(stretch.positions, of: owner))
      find.bind(lane)
      find.bind(Entry.Kind.prompt.code)
      if try find.step() { return try find.optionalInt(in: .count) }
    }
    return lane == nil ? row.turns : nil
  }

  /// Finds the turn of a new entry. A prompt begins a turn, unless one is open. A prompt that only the model sees, which an
  /// app or a program wrote, goes on with the turn before.
  func turn(of entry: Entry, row: inout SessionRow, in db: Tables) throws -> Int? {
    guard entry.kind == .prompt, entry.visibility != .model else {
      return try currentTurn(of: entry.lane, row: &row, in: db)
    }
    if let open = try openTurn(of: entry.lane, row: &row, in: db) { return open }
    if entry.lane != nil { row.overlapTurns() }
    row.turns += 1
    return row.turns
  }
}

// MARK: - What died

extension StoreCore {
  /// Closes the turns, and ends the runs, whose processes have ended: as interrupted, with the time of now.
  ///
  /// Where another process writes, or something fails, these turns and runs wait until the store is opened the next time.
  /// Nobody takes them for open meanwhile.
  func endInterrupted() async {
    guard database.isWritable, (try? read { try !dead(in: $0).isEmpty }) == true else { return }
    let core = self
    _ = try? await writeImpatiently { change in
      for (session, kind, number) in try core.dead(in: change.db) {
        try core.interrupt(kind, number, of: session, in: change)
        try Running.end(kind, number, of: session, in: change.db)
      }
    }
  }

  private func dead(in db: Tables) throws -> [(session: Int64, Running.Kind, number: Int64)] {
    let find = try db.prepare("SELECT session, kind, number, owner FROM running")
    var dead: [(Int64, Running.Kind, Int64)] = []
    var isAlive: [[UInt8]: Bool] = [:]
    while try find.step() {
      let session = find.int64()
      guard let kind = Running.Kind(rawValue: find.int()) else { continue }
      let number = find.int64()
      let owner = find.bytes()
      let lives = try isAlive[owner] ?? store.liveness.isAlive(owner)
      isAlive[owner] = lives
      if !lives { dead.append((session, kind, number)) }
    }
    return dead
  }

  private func interrupt(
    _ kind: Running.Kind, _ number: Int64, of owner: Int64, in change: Change
  ) throws {
    let find = try change.db.prepare("SELECT id FROM session WHERE number = ? AND state < ?")
    find.bind(owner)
    find.bind(SessionPresence.purged)
    guard try find.step(), let id = UUID(bytes: find.bytes()) else { return }
    let session = try Session(id: id, number: owner, core: self, in: change.db)
    switch kind {
    case .turn:
      guard try session.turn(Int(number), in: change.db) != nil else { return }
      _ = try session.close(Int(number), .interrupted, in: change)
    case .invocation:
      guard let found = try InvocationRow.find(number, in: change.db), found.outcome == nil else {
        return
      }
      _ = try session.end(found, .interrupted, in: change)
    }
  }
}
