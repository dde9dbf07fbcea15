import KeepsakeFiles

/// An import that reads the records of a file and writes them in bounded batches.
struct Import {
  private static let batchRecords = 256
  private static let batchBytes = 4 << 20

  let scan: ImportScan
  let growth: ImportScan.Growth?
  let parting: ImportReport.Parting?
  let handle: StoreHandle

  init(
    _ scan: ImportScan, _ growth: ImportScan.Growth?, parting: ImportReport.Parting? = nil,
    handle: StoreHandle
  ) {
    self.scan = scan
    self.growth = growth
    self.parting = parting
    self.handle = handle
  }

  /// Runs the import, and removes all that it wrote if it fails.
  func run() async throws -> ImportReport {
    let makesSession = growth == nil || growth?.parting != nil
    var writing = BatchWriting(
      ImportProgress(session: makesSession ? nil : growth?.session, ordinal: 0))
    do {
      try await write(&writing)
    } catch {
      // The progress then includes the batch that is being written.
      try? await writing.finish()
      // Should this fail, too, whoever opens the store next does it: the first error is the one to tell.
      try? await handle.abandonImport(writing.progress)
      throw error
    }
    let progress = writing.progress
    scan.follow()
    guard let session = progress.session else { return ImportReport(skipped: scan.skipped) }
    let summary = try Self.summary(
      of: session, source: scan.source, isNew: makesSession, added: progress.added,
      revised: progress.revised, parting: parting, handle: handle)
    return ImportReport(
      sessions: [summary], artifacts: progress.artifacts, skipped: scan.skipped)
  }

  private func write(_ writing: inout BatchWriting) async throws {
    var reading = try scan.source.open(after: scan.grown)
    var shared =
      if let grown = scan.grown {
        SharedPieces(of: grown)
      } else if let growth, growth.parting == nil {
        try handle.read { db in try SharedPieces(growth.session, scan.source, in: db) }
      } else {
        SharedPieces()
      }
    var batch: [PreparedRecord] = []
    var size = 0
    var index = 0
    var number = 0
    var before: FilePlaces?
    var isAsStored = true
    var hash = scan.beginning.known.hasher()
    // The part behind the known beginning is read twice. The file must have had that beginning at a moment between the two readings.
    try requireBeginning()
    while let record = try reading.next() {
      try Task.checkCancellation()
      if scan.source.isGrowing { hash.update(record.bytes) }
      let standing = standing(of: record, number, from: index)
      let first = index
      index += record.entries.count
      if !record.entries.isEmpty { number += 1 }
      if standing.isKnown, standing.positions.count != record.entries.count { isAsStored = false }
      if before == nil, record.entries.contains(where: { $0.continuesAfter != nil }) {
        before = try placesBefore()
      }
      if try shared.takes(record, standing, handle: handle) {
        for (place, position) in standing.positions.enumerated() {
          writing.progress.places.add(index - standing.positions.count + place, at: position)
        }
        continue
      }
      shared.end()
      // The whole record is in memory, because its artifacts are still to be taken in, and may have to be again.
      size += record.bytes.count
      batch.append(try PreparedRecord(record, from: first, standing: standing))
      if batch.count >= Self.batchRecords || size >= Self.batchBytes {
        try await flush(batch, after: shared, before, &writing)
        // Two batches may be in memory, but no large record beside what is read after it.
        if size > 2 * Self.batchBytes { try await writing.finish() }
        batch = []
        size = 0
      }
    }
    guard index == scan.entries, !scan.source.isGrowing || hash.digest == scan.digest else {
      throw changed()
    }
    // A reader counts the entries of the file. If the store has others, it must count them from the start.
    let isResumable = isAsStored && scan.bookmark != nil
    try await flush(
      batch, after: shared, before, isLast: true, bookmark: isResumable ? scan.bookmark : nil,
      &writing)
    try await writing.finish()
  }

  /// Throws if a file that grew no longer has the beginning that the store knows.
  private func requireBeginning() throws {
    guard scan.grown != nil, let growth = scan.source.growth else { return }
    guard try scan.beginning.known.stands(in: growth) else { throw changed() }
  }

  /// Returns the positions of the file's entries before those that are read.
  private func placesBefore() throws -> FilePlaces {
    guard let grown = scan.grown else { return FilePlaces() }
    let pieces = try handle.read { db in try grown.source.pieces(in: db) }
    return FilePlaces(pieces.prefix(grown.pieces))
  }

  /// Returns the entries of a record that the store has.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - number: The number of records before it that say entries.
  ///   - index: The number of entries that those say.
  private func standing(of record: SourceRecord, _ number: Int, from index: Int)
    -> PreparedRecord.Standing
  {
    if record.entries.isEmpty { return .init(isKnown: true) }
    switch growth?.known {
    case .records(let stored)?:
      guard number < stored.count else { return .init() }
      return .init(
        positions: stored[number].positions.map(Array.init) ?? [],
        isErased: stored[number].isErased, isKnown: true)
    case .entries(let all, let changed, let erased)?:
      let positions = Array(all.dropFirst(index).prefix(record.entries.count))
      let revised = changed.intersection(positions)
      return .init(
        positions: positions, changed: revised,
        isErased: positions.contains(where: erased.contains),
        isKnown: positions.count == record.entries.count && revised.isEmpty)
    case nil: return .init()
    }
  }

  private func changed() -> KeepsakeError {
    KeepsakeError(
      .refused,
      "Can't import '\(scan.source.name ?? "the file")': it changed while it was read. Try again when nothing writes to it.",
      object: scan.source.name)
  }

  /// Begins to write a batch, and lets the caller read on.
  private func flush(
    _ records: [PreparedRecord], after shared: SharedPieces, _ before: FilePlaces?,
    isLast: Bool = false, bookmark: SourceBookmark? = nil, _ writing: inout BatchWriting
  ) async throws {
    let batch = ImportWriter(
      scan: scan, growth: growth, shared: shared.base, before: before, isLast: isLast,
      bookmark: bookmark,
      owner: try handle.instance(), handle: handle)
    try await writing.start { [handle] progress in
      var records = records
      try await handle.takeIn(&records)
      return try await handle.write(records, bytes: records.reduce(0) { $0 + $1.size }) {
        records, change in
        try batch.write(records, from: progress, in: change)
      }
    }
  }

  /// Reports on a session as it is after an import.
  static func summary(
    of session: Session, source: ForeignSource, isNew: Bool = false, added: Int = 0,
    revised: Int = 0, parting: ImportReport.Parting? = nil, handle: StoreHandle
  ) throws -> ImportReport.ImportedSession {
    let summary = try handle.read { db in try SessionList.summary(of: session.number, in: db) }
    guard let summary else { throw KeepsakeError.noSession(session.id) }
    return .init(
      summary, format: source.format, new: isNew, added: added, revised: revised, parting: parting)
  }
}
