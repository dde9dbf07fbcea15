import KeepsakeSQLite

extension AttachmentTable {
  /// Finds the number of the newest attachment of all sessions; 0 if there is none.
  func newest() throws -> Int64 { try newestNumber() ?? 0 }

  /// Reads the mark of a session's attachments.
  func mark(of session: Int64) throws -> AttachmentMark {
    let find = try db.prepare("SELECT count(*), max(change) FROM attachment WHERE session = ?")
    find.bind(session)
    guard try find.step() else { return AttachmentMark(count: 0, newestChange: 0) }
    return AttachmentMark(count: find.int(), newestChange: find.optionalInt() ?? 0)
  }
}
