/// The part of a session that a view shows, read from one snapshot.
struct ObservedState: Sendable {
  /// The entries without gaps, including those between them that the view hides.
  var entries: [Entry] = []
  var drafts: [Draft.Snapshot] = []
  var turns: [Turn] = []
  var runs: [ObservedSession.Run] = []
  var title: String?
}

extension Session {
  /// The most entries that are read for one page of shown entries.
  private static let observedEntries = 10_000

  /// Reads the last entries before a position, or before the end, with their turns and runs.
  ///
  /// The result has as many entries as are needed to show the given number.
  @concurrent
  func observed(
    _ count: Int, before position: Int?, _ filter: ObservedSession.Filter
  ) async throws -> ObservedState {
    try handle.read { db in
      let end = min(position ?? .max, try SessionRow.entries(of: self, in: db))
      var state = ObservedState()
      var first = end
      var shown = 0
      let reader = EntryReader(self, in: db)
      while shown < count, first > 0, end - first < max(count, Self.observedEntries) {
        let entries = try reader.entries(max(0, first - count)..<first)
        first = max(0, first - count)
        shown += entries.count(where: filter.shows)
        state.entries.insert(contentsOf: entries, at: 0)
      }
      let turns = try turns(of: first..<end, in: db)
      state.turns = turns.filter { filter.shows(lane: $0.lane) }
      let since = first == 0 ? 0 : turns.first?.number ?? 0
      state.runs = try observedRuns(since: since, turns, filter, in: db)
      if position == nil {
        state.drafts = try storedDrafts(in: db).map(\.snapshot).filter(filter.shows)
        state.title = try SessionList.summary(of: number, in: db)?.title
      }
      return state
    }
  }

  /// Reads the runs since a turn; a run whose process ended before it counts as interrupted.
  private func observedRuns(
    since turn: Int, _ turns: [Turn], _ filter: ObservedSession.Filter, in db: Tables
  ) throws -> [ObservedSession.Run] {
    let lanes = Dictionary(uniqueKeysWithValues: turns.map { ($0.number, $0.lane) })
    let found = try db.invocations.runs(since: turn, in: number)
    let alive = try Running.numbers(.invocation, of: number, handle: handle, in: db)
    let attachments = AttachmentReader(handle, in: db)
    return try found.compactMap { row in
      guard filter.shows(lane: row.turn.flatMap { lanes[$0] } ?? nil) else { return nil }
      var invocation = row.value(session: id)
      if invocation.outcome == nil, !alive.contains(row.number) {
        invocation.outcome = .interrupted
      }
      let made = try attachments.rows(madeBy: row.number)
      return .init(invocation: invocation, attachments: made.map(\.value))
    }
  }
}
