import KeepsakeSQLite

/// The statements over the preview of a session: the beginning of its first prompt, which lists show.
extension SessionTable {
  /// Returns the preview of a session; nil if it has none.
  func preview(of session: Int64) throws -> String? {
    let find = try db.prepare("SELECT preview FROM session WHERE number = ?")
    find.bind(session)
    return try find.step() ? find.optionalText() : nil
  }

  /// Gives a session another preview, or none.
  func set(preview: String?, of session: Int64) throws {
    let update = try db.prepare("UPDATE session SET preview = ? WHERE number = ?")
    update.bind(preview)
    update.bind(session)
    try update.run()
  }
}
