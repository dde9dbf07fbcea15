extension Session {
  /// Hands over the runs of this session one at a time, oldest first. A fork begins with the runs of calls that it
  /// shares. No more than one run is held in memory.
  @concurrent
  package func eachRun(_ take: (Invocation) throws -> Void) async throws {
    try handle.read { db in
      _ = try SessionRow.entries(of: self, in: db)
      for piece in lineage.shared {
        try db.invocations.forEach(sharedIn: piece) { try take($0.value(session: id)) }
      }
      try db.invocations.forEach(of: number) { try take($0.value(session: id)) }
    }
  }
}
