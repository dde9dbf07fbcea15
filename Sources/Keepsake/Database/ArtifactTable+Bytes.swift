#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Reading and checking the bytes of artifacts that are rows of the database.
extension ArtifactTable {
  /// Passes all bytes of an artifact's row to a closure, after they are known to match the id.
  ///
  /// - Parameters:
  ///   - number: The artifact's number.
  ///   - id: The artifact's id.
  ///   - size: The size in the artifact's row, which may have been altered as well.
  ///   - alarms: The damaged rows that the store found so far.
  ///   - fromKept: Makes the result from all cached bytes, where that is cheaper than from a span.
  ///   - body: Makes the result from bytes in SQLite's memory.
  func withBytes<Result>(
    of number: Int64, _ id: Artifact.ID, size: Int64, alarms: RowAlarms,
    fromKept: ((Data) -> Result)?, _ body: (RawSpan) -> Result
  ) throws -> Result {
    func lend(_ kept: Data) throws -> Result {
      guard kept.count == size else { throw Artifact.altered(id) }
      return fromKept?(kept) ?? kept.withBytes(body)
    }
    let checked = CheckedRows.of(db)
    let count = alarms.count
    let commit = db.newestCommit
    if let kept = checked.bytes(of: number, id.digest, at: commit, alarms: count) {
      return try lend(kept)
    }
    let find = try db.prepare("SELECT bytes FROM blob WHERE number = ?")
    find.bind(number)
    guard try find.step() else {
      alarms.raise()
      throw Artifact.missing(id)
    }
    if checked.isChecked(number, id.digest, in: db, alarms: count) {
      // Bytes that are read a second time may be read again, so they are cached.
      if let commit, db.newestCommit == commit {
        let data = Data(copying: find.span(0))
        checked.keep(data, of: number, id.digest, at: commit, alarms: count)
        return try lend(data)
      }
    } else if SHA256.digest(of: find.span(0)) == id.digest {
      checked.note(number, id.digest)
    } else {
      alarms.raise()
      // The artifact may have been removed, and its number reused, after it was looked up.
      throw try isStored(number, as: id.digest) ? Artifact.altered(id) : Artifact.missing(id)
    }
    guard find.span(0).byteCount == size else { throw Artifact.altered(id) }
    return body(find.span(0))
  }

  /// Finds an artifact, and checks its bytes if they are in the database.
  ///
  /// - Parameter digest: The digest of the artifact.
  /// - Returns: The row, with the damage if the bytes were altered or are gone; nil without such an artifact.
  func checkedRow(_ digest: SHA256Digest) throws -> (row: ArtifactRow, damage: KeepsakeError?)? {
    guard let row = try row(digest) else { return nil }
    guard row.place == .row else { return (row, nil) }
    let find = try db.prepare("SELECT bytes FROM blob WHERE number = ?")
    find.bind(row.number)
    guard try find.step() else { return (row, Artifact.missing(Artifact.ID(digest))) }
    // Comparing the size is cheap, and readers rely on the size in the artifact's row.
    let isRight = find.count(0) == row.size && SHA256.digest(of: find.span(0)) == digest
    return (row, isRight ? nil : Artifact.altered(Artifact.ID(digest)))
  }

  /// Replaces the bytes of an artifact that is a row, unless they are right, and returns whether it replaced them.
  func restore(bytes: [UInt8], of row: ArtifactRow, alarms: RowAlarms) throws -> Bool {
    let checked = CheckedRows.of(db)
    if checked.isChecked(row.number, row.digest, in: db, alarms: alarms.count) { return false }
    let find = try db.prepare("SELECT bytes FROM blob WHERE number = ?")
    find.bind(row.number)
    if try find.step(), find.bytes() == bytes {
      checked.note(row.number, row.digest)
      return false
    }
    find.reset()
    // The row is not noted as checked, because the transaction may still be undone.
    try replace(bytes: bytes, of: row.number)
    return true
  }
}
