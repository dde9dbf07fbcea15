import KeepsakeFiles

/// Attaching bytes that the store has already leaves the store with the right bytes, or throws.
///
/// Stored bytes are checked once, and then trusted while nobody can have changed them: a file while it looks as it did when
/// this process hashed it, and a row while no other connection has committed since the comparison. So attaching a known
/// artifact does not read its bytes each time, and damaged bytes are replaced with the new ones.
extension Artifacts {
  /// Returns the row of a known artifact for a write transaction, after replacing damaged or lost bytes with the new ones.
  func restored(
    _ row: ArtifactRow, from prepared: PreparedArtifact, at now: Int64, in change: Change
  ) throws -> ArtifactRow {
    let db = change.db
    switch (row.place, prepared.content) {
    case (.row, .row(let bytes)):
      if try db.artifacts.restore(bytes: bytes, of: row, alarms: alarms) {
        try logRepair(of: row, at: now, in: db)
      }
    case (.file, .file(let incoming)):
      if try !isChecked(row), !hasRightFile(row) {
        try place(incoming, prepared.digest, in: change)
        try logRepair(of: row, at: now, in: db)
      }
    case (.file, .known):
      // The artifact was known when the source was prepared; a process may have removed it since.
      guard try isChecked(row) else { throw vanished(prepared.digest) }
    case (.row, .known): break
    case (.row, .file), (.file, .row):
      // A build with another limit stored the artifact in the other place.
      if case .wrong(let error) = try holding(prepared.digest) { throw error }
    }
    guard row.size != prepared.size else { return row }
    try db.artifacts.store(size: prepared.size, of: row.number)
    return try self.row(prepared.digest, in: db) ?? row
  }

  /// Returns whether the artifact's file has the right bytes.
  ///
  /// The file is read for this, which is rare: when two tasks attach the same new bytes at once, and after damage.
  private func hasRightFile(_ row: ArtifactRow) -> Bool {
    do {
      try withFile(digest: row.digest, size: row.size, number: row.number) { _ in }
      return true
    } catch {
      return false
    }
  }

  private func logRepair(of row: ArtifactRow, at now: Int64, in db: Tables) throws {
    try LogLine.add(
      .repair, [("artifact", .string(Artifact.ID(row.digest).description))], at: now, in: db)
  }
}
