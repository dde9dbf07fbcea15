import KeepsakeFiles
import KeepsakeSQLite

/// Attaching what the store has already leaves it with the right bytes, or throws.
///
/// What it has is looked at once and then trusted while nobody can have changed it: a file while it looks as it did when
/// this process hashed it, a row while no other connection has committed since it was compared. So the bytes of a known
/// artifact are not read each time that it is attached, and what came in takes the place of what is wrong.
extension Artifacts {
  /// The row of an artifact whose bytes came once more, in a write transaction that is about to refer to it.
  func restored(
    _ row: ArtifactRow, from prepared: PreparedArtifact, at now: Int64, in change: Change
  ) throws -> ArtifactRow {
    let db = change.db
    switch (row.place, prepared.content) {
    case (.row, .row(let bytes)): try restore(row, from: bytes, at: now, in: db)
    case (.file, .file(let incoming)):
      if try !isChecked(row), !hasRightFile(row) {
        try place(incoming, prepared.digest, in: change)
        try logRepair(of: row, at: now, in: db)
      }
    case (.file, .known):
      // It was there a moment ago.
      guard try isChecked(row) else { throw vanished(prepared.digest) }
    case (.row, .known): break
    case (.row, .file), (.file, .row):
      // Kept by a build with another limit.
      if case .wrong(let error) = try holding(prepared.digest) { throw error }
    }
    guard row.size != prepared.size else { return row }
    let update = try db.prepare("UPDATE artifact SET size = ? WHERE number = ?")
    update.bind(prepared.size)
    update.bind(row.number)
    try update.run()
    return try self.row(prepared.digest, in: db) ?? row
  }

  /// Whether its file has its bytes. It is read for that where two attach the same new bytes at once, and where it is
  /// damaged: rarely.
  private func hasRightFile(_ row: ArtifactRow) -> Bool {
    do {
      try withFile(digest: row.digest, size: row.size, number: row.number) { _ in }
      return true
    } catch {
      return false
    }
  }

  private func logRepair(of row: ArtifactRow, at now: Int64, in db: Connection) throws {
    try LogLine.add(
      .repair, [("artifact", .string(Artifact.ID(row.digest).description))], at: now, in: db)
  }

  private func restore(_ row: ArtifactRow, from bytes: [UInt8], at now: Int64, in db: Connection)
    throws
  {
    let checked = CheckedRows.of(db)
    if checked.isChecked(row.number, row.digest, in: db, alarms: alarms) { return }
    let find = try db.prepare("SELECT bytes FROM blob WHERE number = ?")
    find.bind(row.number)
    if try find.step(), find.bytes() == bytes { return checked.note(row.number, row.digest) }
    find.reset()
    // Not noted as right: should the transaction be undone, this is.
    let replace = try db.prepare("INSERT OR REPLACE INTO blob (number, bytes) VALUES (?, ?)")
    replace.bind(row.number)
    try replace.run(binding: bytes)
    try logRepair(of: row, at: now, in: db)
  }
}
