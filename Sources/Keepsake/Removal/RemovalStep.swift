import KeepsakeSQLite

/// What one transaction of a removal did, and what is left to do.
struct RemovalStep: Sendable {
  /// So many rows go in a transaction; about a tenth of a second.
  static let limit = 8192

  /// Something whose rows are to go.
  enum Target: Sendable, Hashable {
    case session(Int64)
    /// A foreign file that no session has anything of.
    case source(Int64)
  }

  private(set) var removed = Removal()
  private(set) var unused = UnusedArtifacts()
  /// The last one is to be gone on with first.
  private(set) var next: [Target]

  /// Nothing is done yet of these.
  init(next: [Target]) { self.next = next }

  /// Removes some rows of a target; of one that is gone already, nothing.
  init(_ target: Target, limit: Int = Self.limit, in change: Change) throws {
    var room = RemovalRoom(rows: limit)
    // What it removes stands in pages of the log.
    try Trace.log.mark(in: change.db)
    switch target {
    case .session(let number):
      var removal = SessionRemoval(number, room: room, in: change)
      next = try removal.step()
      removed = removal.removed
      unused = removal.unused
    case .source(let number):
      let isDone = try SourceRemoval.step(number, &room, leaving: &unused, in: change.db)
      next = isDone ? [] : [target]
      try unused.removeRows(countingIn: &removed, in: change.db)
    }
  }
}
