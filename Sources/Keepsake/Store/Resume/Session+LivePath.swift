extension Session {
  /// Finds the session's live entries, so that an app can show entries that were taken back in another way or not at all.
  ///
  /// The cost is a look at each event of the session.
  /// - Returns: The path of live entries.
  /// - Throws: A ``KeepsakeError`` if the session can't be read.
  @concurrent
  public func livePath() async throws -> LivePath {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      return LivePath(0..<end, returns: try db.entries.returns(in: lineage, below: end))
    }
  }
}
