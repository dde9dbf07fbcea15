#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The turns that are open and the runs that have not ended, and whose processes live.
enum Running {
  typealias Kind = RunningTable.Kind

  /// Lists the numbers of the turns or runs that go on in a session, oldest first. A turn or run whose process has ended
  /// does not go on.
  static func numbers(
    _ kind: Kind, of session: Int64, handle: StoreHandle, in db: Tables
  ) throws -> [Int64] {
    try db.running.marks(kind, of: session).filter { try handle.store.liveness.isAlive($0.owner) }
      .map(\.number)
  }
}

// MARK: - The turn that goes on

extension Session {
  /// Lists the open turns of the session, newest first.
  func openTurns(in db: Tables) throws -> [OpenTurn] {
    let numbers = try Running.numbers(.turn, of: number, handle: handle, in: db)
    if numbers.isEmpty { return [] }
    return try db.turns.open(numbers.reversed(), of: number)
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
      let range = EntryID.range(stretch.positions, of: stretch.piece.session)
      if let turn = try db.entries.lastTurn(of: lane, in: range) { return turn }
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

extension StoreHandle {
  /// Closes the turns, and ends the runs, whose processes have ended: as interrupted, with the time of now.
  ///
  /// If another process writes at the moment, or closing fails, the interrupted turns and runs stay as they are until the
  /// store is opened the next time. Readers do not count an interrupted turn or run as open.
  func endInterrupted() async {
    guard database.isWritable, (try? read { try !dead(in: $0).isEmpty }) == true else { return }
    let handle = self
    if store.sharing != nil { return await endInterruptedAtHub() }
    _ = try? await writeImpatiently { change in
      // The hub of a shared store is not known yet.
      if handle.database.isShared { return }
      for mark in try handle.dead(in: change.db) {
        try handle.interrupt(mark, in: change)
      }
    }
  }

  /// Ends what died in a shared store, a session at a time. What the hub does not take stays as it is until the next time.
  private func endInterruptedAtHub() async {
    let handle = self
    let sessions = try? read { db in
      try Set(dead(in: db).map(\.session)).compactMap { number in
        try db.sessions.idOfOpen(number).map { (id: $0, number: number) }
      }
    }
    for session in sessions ?? [] {
      try? await write(in: session.id) { change in
        for mark in try handle.dead(in: change.db) where mark.session == session.number {
          try handle.interrupt(mark, in: change)
        }
      }
    }
  }

  private func dead(in db: Tables) throws -> [RunningTable.Mark] {
    var isAlive: [[UInt8]: Bool] = [:]
    return try db.running.all().filter { mark in
      let lives = try isAlive[mark.owner] ?? store.liveness.isAlive(mark.owner)
      isAlive[mark.owner] = lives
      return !lives
    }
  }

  /// Closes a turn or ends a run as interrupted, and removes its mark.
  private func interrupt(_ mark: RunningTable.Mark, in change: Change) throws {
    try change.locally { try $0.db.running.end(mark.kind, mark.number, of: mark.session) }
    guard let id = try change.db.sessions.idOfOpen(mark.session) else { return }
    let session = try Session(id: id, number: mark.session, handle: self, in: change.db)
    switch mark.kind {
    case .turn:
      guard try session.turn(Int(mark.number), in: change.db) != nil else { return }
      _ = try session.close(Int(mark.number), .interrupted, in: change)
    case .invocation:
      guard let found = try InvocationRow.find(mark.number, in: change.db), found.outcome == nil
      else { return }
      _ = try session.end(found, .interrupted, in: change)
    }
  }
}
