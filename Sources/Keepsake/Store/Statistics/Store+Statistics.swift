extension Store {
  /// Counts the content of the store by kind, and the bytes that did not have to be stored twice.
  ///
  /// The cost grows with the number of entries and attachments. No lock is taken.
  /// - Returns: The counts.
  /// - Throws: A ``KeepsakeError`` if the store can't be read.
  @concurrent
  public func statistics() async throws -> StoreStatistics {
    try handle.read { db in
      let artifacts = try db.files.artifacts()
      let attachments = try db.files.attachments()
      let attached = try db.files.attachedArtifacts()
      return StoreStatistics(
        sessions: try db.files.sessions(), entries: try db.files.entries(),
        attachments: attachments.count, artifacts: artifacts.count,
        artifactBytes: artifacts.bytes, savedBytes: attachments.bytes - attached.bytes,
        databaseBytes: try db.files.databaseBytes(), types: try db.files.artifactsByType(),
        tools: try db.files.artifactsByTool())
    }
  }
}
