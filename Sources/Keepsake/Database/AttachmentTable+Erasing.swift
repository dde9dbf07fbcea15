import KeepsakeFiles
import KeepsakeSQLite

extension AttachmentTable {
  /// Finds an attachment by its number.
  func row(_ number: Int64) throws -> AttachmentRow? {
    try AttachmentRow.all("number = ?", in: Tables(db)) { $0.bind(number) }.first
  }

  /// Finds the attachments that a session recorded for an entry.
  func rows(of entry: EntryID, in session: Int64) throws -> [AttachmentRow] {
    try AttachmentRow.all("session = ? AND entry = ?", in: Tables(db)) {
      $0.bind(session)
      $0.bind(entry)
    }
  }

  /// Returns the positions of the entries in a range that have an erased attachment.
  func erased(in entries: ClosedRange<EntryID>) throws -> [Int] {
    let find = try db.prepare(
      "SELECT entry FROM attachment WHERE state = ? AND entry BETWEEN ? AND ?")
    find.bind(Entry.Attachment.State.erased.code)
    find.bind(entries)
    var positions: [Int] = []
    while try find.step() { positions.append(find.entryID().position) }
    return positions
  }

  /// Writes what is left of an attachment after erasing.
  func erase(_ row: AttachmentRow, link: RowLink, salt: Salt) throws {
    let update = try db.prepare(
      """
      UPDATE attachment SET artifact = NULL, state = ?, file_name = NULL, captions = NULL,
        reference = NULL, operation = ?, change = ?, salt = ?, digest = ? WHERE number = ?
      """)
    update.bind(row.state.code)
    update.bind(link.operation)
    update.bind(link.change)
    update.bind(salt)
    update.bind(link.digest)
    update.bind(row.number)
    try update.run()
  }
}
