import KeepsakeSQLite

extension Session {
  /// Hands over the runs of this session one at a time, oldest first. A fork begins with the runs of calls that it
  /// shares. No more than one run is held in memory.
  @concurrent
  package func eachRun(_ take: (Invocation) throws -> Void) async throws {
    try core.read { db in
      _ = try SessionRow.entries(of: self, in: db)
      for piece in lineage.shared {
        try eachRun(
          "session = ?1 AND \(EntryID.position(of: "call_entry")) < ?2 AND recorded <= ?3", in: db,
          take
        ) { find in
          find.bind(piece.session)
          find.bind(piece.end)
          find.bind(piece.changes ?? .max)
        }
      }
      try eachRun("session = ?1", in: db, take) { $0.bind(number) }
    }
  }

  private func eachRun(
    _ condition: String, in db: Tables, _ take: (Invocation) throws -> Void,
    _ bind: (borrowing Statement) -> Void
  ) throws {
    let find = try db.prepare(
      text: "SELECT \(InvocationRow.columns) FROM invocation WHERE \(condition) ORDER BY number")
    bind(find)
    while try find.step() { try take(InvocationRow(find).value(session: id)) }
  }
}
