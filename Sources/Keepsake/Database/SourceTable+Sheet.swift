import KeepsakeSQLite

// The statements that compare a session with the file that it came from.
extension SourceTable {
  /// Returns the entries of a session whose content or attachments changed after one of its changes.
  ///
  /// Keys and captions don't count, and neither do files that were taken in because a call names them.
  func entriesChanged(since change: Int, of session: Int64) throws -> Set<EntryID> {
    let find = try db.prepare(
      text: """
        SELECT id FROM entry WHERE id BETWEEN ?1 AND ?2 AND change > ?3 AND operation <> ?4
        UNION
        SELECT entry FROM attachment
        WHERE session = ?5 AND entry BETWEEN ?1 AND ?2 AND change > ?3 AND operation <> ?6
          AND NOT \(Self.isFileBeside)
        """)
    find.bind(EntryID.all(of: session))
    find.bind(change)
    // A key is no content, and captions have no place in foreign files.
    find.bind(Chain.Operation.adopt)
    find.bind(session)
    find.bind(Chain.Operation.caption)
    Self.bindBases(to: find)
    var changed: Set<EntryID> = []
    while try find.step() { changed.insert(find.entryID()) }
    return changed
  }

  /// Returns the entries of one session to which a fork of it attached something.
  func entries(of session: Int64, withAttachmentsOf fork: Int64) throws -> Set<EntryID> {
    let find = try db.prepare(
      "SELECT entry FROM attachment WHERE session = ? AND entry BETWEEN ? AND ?")
    find.bind(fork)
    find.bind(EntryID.all(of: session))
    var entries: Set<EntryID> = []
    while try find.step() { entries.insert(find.entryID()) }
    return entries
  }

  /// Returns the number of files that were taken in because calls name them, without those of some entries.
  func filesBeside(of session: Int64, without changed: Set<EntryID>) throws -> Int {
    let find = try db.prepare(
      text: """
        SELECT entry FROM attachment
        WHERE session = ?1 AND entry BETWEEN ?2 AND ?3 AND \(Self.isFileBeside)
        """)
    find.bind(session)
    find.bind(EntryID.all(of: session))
    Self.bindBases(to: find)
    var count = 0
    while try find.step() {
      if !changed.contains(find.entryID()) { count += 1 }
    }
    return count
  }

  /// The condition of attachments of files that were taken in because a call names them. Its two parameters follow those
  /// that stand before it.
  private static let isFileBeside =
    "(basis = ? OR basis = ? AND invocation IS NULL AND reference IS NOT NULL)"

  private static func bindBases(to statement: borrowing Statement) {
    statement.bind(Entry.Attachment.Basis.path.code)
    statement.bind(Entry.Attachment.Basis.inferred.code)
  }
}
