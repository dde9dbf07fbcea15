// Ids of entries don't tell to which session a foreign file belongs: programs count them anew in each conversation, and
// whoever knows them could write what he likes. These tell it, in this order:
//
// 1. the caller, by naming a session, with which the file is aligned as a saved list is;
// 2. all bytes of the file, if they were imported before: the file adds nothing;
// 3. the records of the file: it continues the session whose newest file has exactly the records that it begins with;
// 4. the session's id in the foreign program, if the format has one: the file is aligned with that session;
// 5. the records once more: if a stored file begins with all of them, this one is an older state of it, and adds nothing.
//
// Any other file becomes a session of its own.
extension ImportScan {
  /// The session to which a file belongs.
  enum Target {
    /// The session has all that the file says.
    case unchanged(Session)
    case grows(Growth)
    /// The file becomes a session of its own. The relatives are sessions that it may be taken for a continuation of.
    case new(relatives: [Session])
  }

  /// Finds the session to which the file belongs.
  func target(handle: StoreHandle) throws -> Target {
    let (found, longer) = try handle.read { db in try look(handle: handle, in: db) }
    for (session, file) in longer where try begins(file, handle: handle) {
      return .unchanged(session)
    }
    return found
  }

  /// Asks the indexes in one snapshot where the file belongs.
  ///
  /// - Returns: The target, and, for a file that belongs nowhere, the sessions of which it may be an older state, with
  ///   their files.
  private func look(handle: StoreHandle, in db: Tables) throws -> (Target, [(Session, SourceRow)]) {
    if let destination {
      // The session may have been deleted, or be another store's.
      _ = try SessionRow.entries(of: destination, in: db)
      if try known(in: db) != nil { return (.unchanged(destination), []) }
      return (.grows(try growth(into: destination, in: db)), [])
    }
    if isApart { return (.new(relatives: []), []) }
    if let number = try known(in: db) {
      return (.unchanged(try Session(number: number, handle: handle, in: db)), [])
    }
    if let growth = try continuation(handle: handle, in: db) { return (.grows(growth), []) }
    if facts.id != nil {
      let named = try sessionsOfSameID(handle: handle, in: db)
      for session in named {
        if let growth = try revisingGrowth(of: session, in: db) {
          return try isOlderState(growth, in: db) ? (.unchanged(session), []) : (.grows(growth), [])
        }
      }
      return (.new(relatives: named), [])
    }
    let alike = try longerFiles(handle: handle, in: db)
    return (.new(relatives: try relatives(alike.map(\.0), handle: handle, in: db)), alike)
  }
}
