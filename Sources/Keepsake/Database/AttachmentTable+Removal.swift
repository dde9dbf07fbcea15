import KeepsakeFiles
import KeepsakeSQLite

extension AttachmentTable {
  /// Passes the attachments of a session that none of its forks shows to a closure, until that returns false.
  func forEachUnshared(
    of session: Int64, _ goesOn: (RemovableAttachment) throws -> Bool
  ) throws {
    let find = try db.prepare(
      """
      SELECT a.number, a.artifact, a.operation, a.change, a.entry, a.digest, f.size, a.direction,
        a.recorded, f.place
      FROM attachment AS a LEFT JOIN artifact AS f ON f.number = a.artifact WHERE a.session = ?1
        AND NOT EXISTS (SELECT 1 FROM session WHERE parent = ?1
          AND reach > a.entry & ?2 AND fork_change >= a.recorded)
      """)
    find.bind(session)
    find.bind(EntryID.maximumPosition)
    while try find.step() {
      let row = RemovableAttachment(
        number: find.int64(), artifact: find.optionalInt64(), operation: find.int(),
        change: find.int(), entry: find.optionalEntryID(), digest: find.digest(),
        size: try find.int64(in: .size),
        isListed: find.int() != Entry.Attachment.Direction.content.code, recorded: find.int(),
        isInRow: find.optionalInt() == Artifact.Place.row.rawValue)
      guard try goesOn(row) else { return }
    }
  }

  /// Removes an attachment, and the notes of what it was made from.
  func delete(_ number: Int64) throws {
    try deleteInputs(of: number)
    let delete = try db.prepare("DELETE FROM attachment WHERE number = ?")
    delete.bind(number)
    try delete.run()
  }

  /// Removes the notes of what an attachment was made from.
  func deleteInputs(of number: Int64) throws {
    let delete = try db.prepare("DELETE FROM derivation WHERE attachment = ?")
    delete.bind(number)
    try delete.run()
  }

  /// Finds the artifacts that an attachment was made from.
  func inputs(of number: Int64) throws -> [Int64] {
    let find = try db.prepare("SELECT artifact FROM derivation WHERE attachment = ?")
    find.bind(number)
    var artifacts: [Int64] = []
    while try find.step() { artifacts.append(find.int64()) }
    return artifacts
  }
}
