#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import SQLite

extension Session {
  /// Begins a session that shares this one's entries before a position, and goes its own way from there.
  ///
  /// Nothing is copied. Later revisions of the shared entries do not show in the fork.
  ///
  /// `position` is the first one of the fork's own; without it the fork shares all there is.
  @concurrent
  public func fork(before position: Int? = nil, title: String? = nil, id: UUID = UUID())
    async throws
    -> Session
  {
    let session = self
    let core = core
    return try await core.write { change in
      let row = try SessionRow(session, in: change.db)
      try Store.requireFree(id, in: change.db)
      let position = position ?? row.entries
      guard position >= 0, position <= row.entries else {
        throw KeepsakeError.noPosition(position, in: session.id, entries: row.entries)
      }
      let owner =
        position == 0 ? session.lineage.pieces[0] : session.lineage.owner(of: position - 1)
      let parent = try session.point(owner, row: row, in: change.db)
      let created = core.now()
      let insert = try change.db.prepare(
        """
        INSERT INTO session (id, created, updated, parent, fork_position, fork_change, fork_head,
          entries, turns, head, title, model, origin, preview, cover)
        SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, title), model, origin, preview, cover
        FROM session WHERE number = ?
        """)
      insert.bind(id.bytes, at: 1)
      insert.bind(created, at: 2)
      insert.bind(created, at: 3)
      insert.bind(owner.session, at: 4)
      insert.bind(position, at: 5)
      insert.bind(parent.count, at: 6)
      insert.bind(parent.head, at: 7)
      insert.bind(position, at: 8)
      insert.bind(try session.turn(before: position, in: change.db), at: 9)
      insert.bind(
        Chain(forking: parent, at: position, into: id.bytes, created: created).head, at: 10)
      insert.bind(title, at: 11)
      insert.bind(session.number, at: 12)
      try insert.run()
      let number = change.db.lastInsertedRow
      change.publish(.created(session: id))
      return Session(
        id: id, number: number, lineage: try Lineage(of: number, in: change.db), core: core)
    }
  }

  /// Where the chain of the owning session stood for this session: now for its own, or where it forked off.
  private func point(_ owner: Lineage.Piece, row: SessionRow, in db: Connection) throws -> Chain {
    if owner.session == number { return row.chain }
    guard let changes = owner.changes else {
      throw KeepsakeError(.damaged, "A fork does not know where it forked. Run 'keepsake verify'.")
    }
    // The fork that pinned the owner at this change kept the head that it had then.
    let find = try db.prepare(
      "SELECT fork_head FROM session WHERE parent = ? AND fork_change = ? LIMIT 1")
    find.bind(owner.session, at: 1)
    find.bind(changes, at: 2)
    guard try find.step(), let head = find.digest(0) else {
      throw KeepsakeError(.damaged, "A fork has lost the link it forked at. Run 'keepsake verify'.")
    }
    return Chain(head: head, count: changes)
  }

  private func turn(before position: Int, in db: Connection) throws -> Int {
    guard position > 0 else { return 0 }
    let find = try db.prepare("SELECT turn FROM entry WHERE id = ?")
    find.bind(lineage.id(of: position - 1).rawValue, at: 1)
    return try find.step() ? find.int(0) : 0
  }
}
