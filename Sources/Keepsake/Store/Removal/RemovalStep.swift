/// The result of one transaction of a removal, and what is left to do.
struct RemovalStep: Sendable {
  /// The number of rows that a transaction removes in about a tenth of a second.
  static let limit = 8192

  /// A thing whose rows are to be removed.
  enum Target: Sendable, Hashable {
    case session(Int64)
    /// A foreign file from which no session has anything.
    case source(Int64)
  }

  private(set) var removed = Removal()
  private(set) var unused = UnusedArtifacts()
  /// The targets of the next steps, the most urgent last.
  private(set) var next: [Target]

  /// Begins a removal of targets.
  init(next: [Target]) { self.next = next }

  /// Removes some rows of a target; none if the target is gone already.
  init(_ target: Target, limit: Int = Self.limit, in change: Change) throws {
    var room = RemovalRoom(rows: limit)
    // The removed rows stand in pages of the log.
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
