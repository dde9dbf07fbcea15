#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The state of the store when an observer began, or at the last look for changes of other processes.
struct Baseline: Sendable {
  /// The states by session; nil for an unknown state, for which the next look reports a change.
  var sessions: [UUID: SessionState?] = [:]
  /// The state of the list, for an observer of all sessions.
  var list: ListState?
}

extension Baseline {
  /// Reads the present state of one session, or of the list.
  init(of session: UUID?, handle: StoreHandle, in db: Tables) throws {
    if let session {
      let state = try SessionState.read(session, detailed: true, handle: handle, in: db)
      sessions[session] = .some(state)
    } else {
      var list = ListState()
      list.newest = try db.sessions.newest()
      list.hidden = try db.sessions.unfinished()
      let rows = try db.sessions.mostRecent(ListState.watched)
      list.setEnd(rows)
      self.list = list
      for row in rows { sessions[row.id] = .some(row.state) }
    }
  }
}

// MARK: - Looking again

extension Baseline {
  /// Compares the baseline with the present state, makes the present state the baseline, and returns the changes.
  ///
  /// - Parameters:
  ///   - observed: The sessions that have observers of their own.
  ///   - handle: The handle through which the store is read.
  ///   - db: A connection in a transaction.
  mutating func look(observed: Set<UUID>, handle: StoreHandle, in db: Tables) throws
    -> [StoreEvent]
  {
    var events: [StoreEvent] = []
    for (id, old) in sessions {
      let new = try SessionState.read(
        id, detailed: observed.contains(id), handle: handle, in: db)
      if let old {
        events += try old.events(of: id, to: new, handle: handle, in: db)
      } else {
        events.append(new == nil ? .deleted(session: id) : .changedElsewhere(session: id))
      }
      sessions[id] = new.map { .some($0) }
    }
    if list != nil { events += try lookAtList(observed: observed, in: db) }
    return events
  }

  private mutating func lookAtList(observed: Set<UUID>, in db: Tables) throws -> [StoreEvent] {
    guard var list else { return [] }
    var events: [StoreEvent] = []
    let known = list.newest
    try db.sessions.forEachNew(after: known) { number, id, presence in
      list.newest = number
      if presence == .importing { list.hidden.insert(number) }
      if presence == .shown, let id { events.append(.created(session: id)) }
    }
    for number in list.hidden where number <= known {
      let found = try db.sessions.presence(of: number)
      if found?.presence == .importing { continue }
      list.hidden.remove(number)
      if found?.presence == .shown, let id = found?.id { events.append(.created(session: id)) }
    }
    let rows = try db.sessions.mostRecent(ListState.watched)
    let announced = Set(events.map(\.session))
    for row in rows where sessions[row.id] == nil && !announced.contains(row.id) {
      // The session moved up because it changed, or only because a session before it went away.
      let wasBelow = list.end.map { (row.updated, row.state.number) > $0 } ?? true
      if wasBelow { events.append(.changedElsewhere(session: row.id)) }
    }
    list.setEnd(rows)
    self.list = list
    var watched = sessions.filter { observed.contains($0.key) }
    for row in rows where watched[row.id] == nil { watched[row.id] = .some(row.state) }
    sessions = watched
    return events
  }
}
