import Synchronization

/// Has a writer's connection list the rows that it changes while the store is joined to a hub, whichever process joined it.
///
/// The list is kept by temporary triggers, of which each connection has its own.
final class ChangeListing: Sendable {
  /// Tells whether rows are listed even if the store joined no hub.
  private let isWanted: Bool
  /// Tells whether this connection may have the triggers.
  private let mayHaveBegun = Atomic(false)
  private let sharing = Atomic(false)

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Tells whether the store is the cache of a hub's sessions, as of the present or last write transaction.
  var isShared: Bool { sharing.load(ordering: .relaxed) }

  /// Begins or ends the listing, as the store stands. Each write transaction begins with this.
  func keepUp(_ db: Tables) throws {
    let way = try db.joined.way()
    sharing.store(way == .shared, ordering: .relaxed)
    if isWanted || way != nil {
      // A transaction that is rolled back takes its new triggers along.
      if try !db.unsent.hasBegun() { try db.unsent.begin() }
      mayHaveBegun.store(true, ordering: .relaxed)
    } else if mayHaveBegun.load(ordering: .relaxed) {
      try db.unsent.end()
    }
  }
}
