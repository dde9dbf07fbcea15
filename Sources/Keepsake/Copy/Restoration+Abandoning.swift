#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SQLite

extension StoreCore {
  /// Undoes a restoring that did not come to its end: the sessions that it made go.
  /// - Parameter sessions: Their numbers, forks before what they were forked from.
  @discardableResult
  func abandonRestoration(of sessions: [Int64]) async throws -> Removal {
    guard !sessions.isEmpty else { return Removal() }
    try await writeUncancelled { change in
      for session in sessions {
        // The mark goes first: nobody takes up a session twice.
        for sql: StaticString in [
          "DELETE FROM restoring WHERE session = ?",
          // Not that of an import under way: its files go with the session.
          "UPDATE source SET owner = NULL WHERE number IN (SELECT source FROM import WHERE session = ?)",
          """
          UPDATE session SET state = 2, title = NULL, preview = NULL, model = NULL, origin = NULL,
            foreign_id = NULL WHERE number = ? AND state = 3
          """,
        ] {
          let statement = try change.db.prepare(sql)
          statement.bind(session, at: 1)
          try statement.run()
        }
      }
    }
    var removed = Removal()
    for session in sessions {
      let step = try await writeUncancelled { change in try RemovalStep(session, in: change) }
      removed.add(try await finish(step))
    }
    return removed
  }

  /// Undoes the restorings whose process ended in the middle.
  @discardableResult
  func abandonDeadRestorations() async throws -> Removal {
    let marks = try read { db in
      let find = try db.prepare("SELECT session, owner FROM restoring ORDER BY session DESC")
      var marks: [(session: Int64, owner: UUID?)] = []
      while try find.step() { marks.append((find.int64(0), UUID(bytes: find.bytes(1)))) }
      return marks
    }
    var dead: [Int64] = []
    for mark in marks {
      if let owner = mark.owner, try isAlive(owner) { continue }
      dead.append(mark.session)
    }
    return try await abandonRestoration(of: dead)
  }
}
