// A file that becomes a session of its own may be taken for a continuation of another.
extension ImportScan {
  /// Returns the sessions that a person may have thought this file continues.
  ///
  /// A session is found that opens as the file does, or else the only session that has the first keys of the file.
  func relatives(_ longer: [Session], handle: StoreHandle, in db: Tables) throws
    -> [Session]
  {
    if !longer.isEmpty { return longer }
    let shorter = try shorterFile(handle: handle, in: db)
    if !shorter.isEmpty { return shorter.map(\.0) }
    guard let first = keys.first, let last = keys.last else { return [] }
    let found = try db.sessions.beginning(withKey: first, or: last)
    guard let number = found.first, found.count == 1 else { return [] }
    return [try Session(number: number, handle: handle, in: db)]
  }

  /// Finds the position at which the file parts ways with the first of some sessions; nil if there are none.
  ///
  /// A record that says several entries is the same in both or in neither, because it is kept and given back as a whole.
  func parting(from relatives: [Session], handle: StoreHandle) throws -> ImportReport.Parting? {
    guard let session = relatives.first else { return nil }
    let end = try handle.read { db in try SessionRow.entries(of: session, in: db) }
    var stored: ArraySlice<Entry> = []
    var position = 0
    var reading = try source.open()
    while let record = try reading.next() {
      try Task.checkCancellation()
      let begun = position
      for item in record.entries {
        guard position < end else { return .init(session: session.id, position: begun) }
        if stored.isEmpty {
          let page = position..<min(position + Session.Entries.page, end)
          stored = try handle.read { db in try EntryReader(session, in: db).entries(page) }[...]
        }
        guard let entry = stored.popFirst(),
          entry.isErased
            || entry.fingerprint == item.entry.fingerprint && entry.shape == item.entry.shape
              && entry.key.isSameText(as: item.entry.key)
        else { return .init(session: session.id, position: begun) }
        position += 1
      }
    }
    return .init(session: session.id, position: position)
  }

  /// Makes a fork of a file that says which session it is, and begins as that session does before it goes its own way; nil
  /// for any other file.
  ///
  /// The program wrote such a file anew, and both ways are kept.
  func fork(of session: Session?, at position: Int?, handle: StoreHandle) throws -> Growth? {
    guard facts.id != nil, let session, let position, position > 0 else { return nil }
    return try handle.read { db in
      let row = try SessionRow(session, in: db)
      guard position <= min(row.entries, entries) else { return nil }
      // Erased content must not come back with the file.
      var erased = try session.erasedRecords(in: db)
      let stored = try session.storedItems(from: 0, for: nil, row: row, in: db)
      for item in stored where item.hasErased { erased.insert(item.position) }
      return Growth(
        session: session, end: row.entries,
        known: .entries(Array(0..<position), changed: [], erased: erased), parting: position)
    }
  }
}
