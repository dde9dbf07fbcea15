extension Store {
  /// Takes over the entries of a foreign file, and keeps the file verbatim.
  ///
  /// The file is read twice. First it is read to its end, so that a fault in it leaves nothing behind, and compared with the
  /// sessions of the store. Then it is read again, and written. A file that is known adds nothing. A file that begins with
  /// the records of another adds the new ones to that file's session. Any other file becomes a session of its own, which is
  /// shown when all of it is there. Others can write meanwhile.
  /// - Parameters:
  ///   - source: The file.
  ///   - destination: The session that the file is taken into, whatever the file begins with; nil to find it.
  /// - Throws: A ``KeepsakeError`` with the code `diverged` if the file and the given session part ways. They are aligned as
  ///   a saved list is.
  @concurrent
  package func importing(_ source: ForeignSource, into destination: Session? = nil) async throws
    -> ImportReport
  {
    try handle.requireWriter()
    try handle.refuseIfShared("Importing")
    let handle = handle
    var source = source
    source.standing?.settle(at: handle.now())
    if destination == nil || source.stream != nil,
      let report = try await importingGrowth(of: source)
    {
      return report
    }
    for _ in 0..<16 {
      let scan = try ImportScan(source, into: destination)
      // A stream is kept from its first record on, although that record may say no entry yet.
      if scan.entries == 0, source.namesSession, source.stream == nil {
        let reason = "There is no conversation in it."
        return ImportReport(
          skipped: [.init(path: source.name, reason: reason)])
      }
      do {
        switch try scan.target(handle: handle) {
        case .unchanged(let session):
          scan.follow()
          try await remember(source, of: session, scan)
          return ImportReport(
            sessions: [try Import.summary(of: session, source: source, handle: handle)],
            skipped: scan.skipped)
        case .grows(let growth): return try await Import(scan, growth, handle: handle).run()
        case .new(let relatives):
          let parting = try scan.parting(from: relatives, handle: handle)
          let fork = try scan.fork(of: relatives.first, at: parting?.position, handle: handle)
          return try await Import(scan, fork, parting: parting, handle: handle).run()
        }
      } catch is ImportRaced { continue }
    }
    throw KeepsakeError(
      .locked,
      "Gave up importing '\(source.name ?? "the file")': others keep changing the session that it belongs to. Try again when they are done.",
      object: source.name)
  }
}

extension Store {
  /// Takes over the new part of a file that grew since it was imported, without reading the rest again; nil for a file that
  /// has to be read as a whole.
  private func importingGrowth(of source: ForeignSource) async throws -> ImportReport? {
    guard let grown = try GrownFile(source, handle: handle),
      let beginning = try grown.beginning(of: source)
    else { return nil }
    do {
      let scan = try ImportScan(source, after: grown, beginning)
      if scan.digest == grown.source.digest {
        scan.follow()
        try await remember(source, of: grown.session, scan)
        return ImportReport(
          sessions: [try Import.summary(of: grown.session, source: source, handle: handle)],
          skipped: scan.skipped)
      }
      return try await Import(
        scan, .init(session: grown.session, end: grown.entries, known: .records([])), handle: handle
      ).run()
    } catch is ImportRaced {
      return nil
    }
  }

  /// Remembers a file that was read and had nothing new.
  private func remember(_ source: ForeignSource, of session: Session, _ scan: ImportScan)
    async throws
  {
    guard let standing = source.standing else { return }
    try await handle.write { change in
      let found = try change.db.sources.import(
        ofFile: scan.digest, format: source.format, into: session.number)
      let file = try found.flatMap { try SourceRow($0.source, in: change.db) }
      if let stream = source.stream,
        let number = try found?.number
          ?? change.db.sources.newestImport(into: session.number, format: source.format)
      {
        try stream.note(import: number, of: session, in: change)
      }
      guard let file, let number = found?.number else { return }
      let row = try SessionRow(session, in: change.db)
      let endsAlike = try file.lastPosition(in: change.db) == row.entries - 1
      try SeenFile.insert(
        standing, import: number, scan.skipped, endsAlike ? scan.bookmark : nil,
        changes: row.chain.count, in: change.db)
    }
  }

  /// Returns the sessions that came from a foreign program under an id of that program, the newest first.
  @concurrent
  package func sessions(foreignID: String, from origin: String) async throws -> [Session] {
    let handle = handle
    return try handle.read { db in
      try db.sessions.all(foreignID: foreignID, origin: origin).map { id, number in
        try Session(id: id, number: number, handle: handle, in: db)
      }
    }
  }
}
