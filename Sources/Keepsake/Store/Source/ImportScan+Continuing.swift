// The session of a file is found by the file's bytes and records.
extension ImportScan {
  /// Tells whether the file becomes a session of its own, whatever is stored.
  var isApart: Bool { source.stream?.isApart ?? false }

  /// Finds the session that this very file was imported into last; nil if there is none.
  func known(in db: Tables) throws -> Int64? {
    if isApart { return nil }
    return try db.sources.session(
      ofFile: digest, format: source.format, in: destination?.number, preferring: facts.id)
  }

  /// Finds the session whose newest file has exactly the records that this one begins with; of several, the one with the
  /// most records.
  ///
  /// The cost is a look into an index for each length that stored files with the same opening have.
  func continuation(handle: StoreHandle, in db: Tables) throws -> Growth? {
    if isApart { return nil }
    var openings = Array(1...max(1, beginnings.opening))
    if beginnings.records == 0 { openings = [] }
    for opening in openings.reversed() {
      // A file whose records are all there before its first prompt has no longer opening.
      var records = opening == beginnings.opening ? beginnings.records : opening
      let digest = beginnings[opening]
      while let next = try db.sources.length(ofFileOpening: digest, atMost: records) {
        if next >= opening, let growth = try continuation(opening, of: next, handle, db) {
          return growth
        }
        records = next - 1
      }
    }
    return nil
  }

  private func continuation(
    _ opening: Int, of records: Int, _ handle: StoreHandle, _ db: Tables
  ) throws -> Growth? {
    let found = try db.sources.files(
      ofRecords: records, opening: beginnings[opening], identity: beginnings[records],
      format: source.format, foreignID: facts.id)
    for candidate in found {
      let session = try Session(number: candidate.session, handle: handle, in: db)
      guard let file = try SourceRow(candidate.source, in: db) else { continue }
      if let growth = try growth(of: session, from: file, records: records, in: db) {
        return growth
      }
    }
    return nil
  }

  /// Takes the file for what follows a stored one; nil if the session went on in another way since.
  private func growth(
    of session: Session, from file: SourceRow, records: Int, in db: Tables
  ) throws -> Growth? {
    let row = try SessionRow(session, in: db)
    let said = try file.pieces(in: db).filter { $0.entry != nil }
    guard said.count == records,
      said.allSatisfy({ $0.positions?.upperBound ?? .max <= row.entries }),
      let end = said.compactMap(\.positions?.upperBound).max()
    else { return nil }
    // Entries that the app added meanwhile may be missing in the file only if a saved list could lack them, too.
    if end < row.entries {
      let since = try session.storedItems(from: end, for: nil, row: row, in: db)
      guard since.allSatisfy(\.item.isOptional) else { return nil }
    }
    return Growth(session: session, end: row.entries, known: .records(said))
  }
}

// MARK: - Older states

extension ImportScan {
  /// Returns sessions with files that open as this one does, and have more records.
  func longerFiles(handle: StoreHandle, in db: Tables) throws -> [(Session, SourceRow)] {
    guard beginnings.records > 0 else { return [] }
    let found = try db.sources.files(
      opening: beginnings.atOpening, longerThan: beginnings.records, format: source.format,
      limit: 16)
    return try files(found, handle: handle, in: db)
  }

  /// Returns the session with the longest file that opens as this one does, and has no more records.
  func shorterFile(handle: StoreHandle, in db: Tables) throws -> [(Session, SourceRow)] {
    guard beginnings.records > 0 else { return [] }
    let found = try db.sources.files(
      opening: beginnings.atOpening, atMost: beginnings.records, format: source.format, limit: 1)
    return try files(found, handle: handle, in: db)
  }

  private func files(
    _ found: [SourceTable.Match], handle: StoreHandle, in db: Tables
  ) throws -> [(Session, SourceRow)] {
    try found.compactMap { candidate in
      guard let file = try SourceRow(candidate.source, in: db) else { return nil }
      return (try Session(number: candidate.session, handle: handle, in: db), file)
    }
  }

  /// Tells whether a stored file begins with all records of this one; erased records can't be compared.
  func begins(_ file: SourceRow, handle: StoreHandle) throws -> Bool {
    var stored = Beginnings(source)
    var identity = source.identity
    for piece in try handle.read({ db in try file.pieces(in: db) }) where piece.entry != nil {
      if stored.records == beginnings.records { break }
      guard !piece.isErased else { return false }
      let bytes = try handle.read { db in try SourcePiece(piece.id, in: db) }.whole(handle: handle)
      stored.add(identity.digest(ofRecordIn: bytes), hasPrompt: false)
      guard stored.all == beginnings[stored.records] else { return false }
    }
    return stored.records == beginnings.records
  }
}
