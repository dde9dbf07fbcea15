#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension Store {
  /// Takes over what a foreign file says, and keeps the file verbatim.
  ///
  /// It is read twice: to its end, so that a fault in it leaves nothing behind, and compared with the sessions that are
  /// there; then again, to be written. A file that is known adds nothing, one that begins with the records of another adds
  /// what is new to its session, any other becomes a session of its own, which is seen when all of it is there. Others can
  /// write meanwhile.
  /// - Parameters:
  ///   - source: The file.
  ///   - destination: The session that it is taken into, whatever it begins with; it is aligned with that as a saved list
  ///     is, and throws `diverged` where they part ways.
  @concurrent
  package func importing(_ source: ForeignSource, into destination: Session? = nil) async throws
    -> ImportReport
  {
    try core.requireWriter()
    let core = core
    var source = source
    source.standing?.settle(at: core.now())
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
        switch try scan.target(core: core) {
        case .unchanged(let session):
          try scan.follow()
          try await remember(source, of: session, scan)
          return ImportReport(
            sessions: [try Import.summary(of: session, source: source, core: core)],
            skipped: scan.skipped)
        case .grows(let growth): return try await Import(scan, growth, core: core).run()
        case .new(let relatives):
          let parting = try scan.parting(from: relatives, core: core)
          let fork = try scan.fork(of: relatives.first, at: parting?.position, core: core)
          return try await Import(scan, fork, parting: parting, core: core).run()
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
  /// Takes over what a file has that was not there when it was imported, without reading the rest again; nil where it has
  /// to be read as a whole.
  private func importingGrowth(of source: ForeignSource) async throws -> ImportReport? {
    guard let grown = try GrownFile(source, core: core), let hash = try grown.hash(of: source)
    else { return nil }
    do {
      let scan = try ImportScan(source, after: grown, hash)
      if scan.digest == grown.source.digest {
        try scan.follow()
        try await remember(source, of: grown.session, scan)
        return ImportReport(
          sessions: [try Import.summary(of: grown.session, source: source, core: core)],
          skipped: scan.skipped)
      }
      return try await Import(
        scan, .init(session: grown.session, end: grown.entries, known: .records([])), core: core
      ).run()
    } catch is ImportRaced {
      return nil
    }
  }

  /// Remembers how a file stands that was read and had nothing new.
  private func remember(_ source: ForeignSource, of session: Session, _ scan: ImportScan)
    async throws
  {
    guard let standing = source.standing else { return }
    try await core.write { change in
      let found = try scan.import(of: session, in: change.db)
      if let stream = source.stream,
        let number = try found?.0 ?? scan.newestImport(of: session, in: change.db)
      {
        try StreamRow.note(stream, import: number, of: session, in: change)
      }
      guard let (number, file) = found else { return }
      let row = try SessionRow(session, in: change.db)
      let endsAlike = try file.lastPosition(in: change.db) == row.entries - 1
      try SeenFile.insert(
        standing, import: number, scan.skipped, endsAlike ? scan.bookmark : nil,
        changes: row.chain.count, in: change.db)
    }
  }

  /// The sessions that came from a foreign program under an id of that, the newest first.
  @concurrent
  package func sessions(foreignID: String, from origin: String) async throws -> [Session] {
    let core = core
    return try core.read { db in
      let find = try db.prepare(
        """
        SELECT id, number FROM session WHERE foreign_id = ? AND origin = ? AND +state = ?
        ORDER BY number DESC
        """)
      find.bind(foreignID)
      find.bind(origin)
      find.bind(SessionPresence.shown)
      var found: [(id: UUID, number: Int64)] = []
      while try find.step() {
        if let id = UUID(bytes: find.span()) { found.append((id, find.int64())) }
      }
      return try found.map { id, number in
        try Session(id: id, number: number, core: core, in: db)
      }
    }
  }
}

extension ImportScan {
  /// Notes what the file hashes to up to its bookmark, where it is followed.
  fileprivate func follow() throws {
    guard let followed = source.followed, let bookmark, let standing = source.standing,
      let growth = source.growth
    else { return }
    try followed.note(hashed.bookmark, of: standing, upTo: bookmark.offset, in: growth)
  }
}

/// One import under way: reads records, and writes them in bounded batches.
private struct Import {
  private static let batchRecords = 256
  private static let batchBytes = 4 << 20

  let scan: ImportScan
  let growth: ImportScan.Growth?
  let parting: ImportReport.Parting?
  let core: StoreCore

  init(
    _ scan: ImportScan, _ growth: ImportScan.Growth?, parting: ImportReport.Parting? = nil,
    core: StoreCore
  ) {
    self.scan = scan
    self.growth = growth
    self.parting = parting
    self.core = core
  }

  func run() async throws -> ImportReport {
    let makesSession = growth == nil || growth?.parting != nil
    var writing = BatchWriting(
      ImportProgress(session: makesSession ? nil : growth?.session, ordinal: 0))
    do {
      try await write(&writing)
    } catch {
      // It tells what the one that is being written left behind.
      try? await writing.finish()
      // Should this fail, too, whoever opens the store next does it: the first error is the one to tell.
      try? await core.abandonImport(writing.progress)
      throw error
    }
    let progress = writing.progress
    try scan.follow()
    guard let session = progress.session else { return ImportReport(skipped: scan.skipped) }
    let summary = try Self.summary(
      of: session, source: scan.source, isNew: makesSession, added: progress.added,
      revised: progress.revised, parting: parting, core: core)
    return ImportReport(
      sessions: [summary], artifacts: progress.artifacts, skipped: scan.skipped)
  }

  private func write(_ writing: inout BatchWriting) async throws {
    var reading = try scan.source.open(after: scan.grown)
    var shared =
      if let grown = scan.grown {
        SharedPieces(of: grown)
      } else if let growth, growth.parting == nil {
        try core.read { db in try SharedPieces(growth.session, scan.source, in: db) }
      } else {
        SharedPieces()
      }
    var batch: [PreparedRecord] = []
    var size = 0
    var index = 0
    var number = 0
    var before: FilePlaces?
    var isAsStored = true
    var hash = scan.hashed.before.copy()
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
      if try shared.takes(record, standing, core: core) {
        for (place, position) in standing.positions.enumerated() {
          writing.progress.places.add(index - standing.positions.count + place, at: position)
        }
        continue
      }
      shared.end()
      // What it holds in memory: its artifacts are still to be taken in, and may have to be again.
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
    guard index == scan.entries, !scan.source.isGrowing || hash.finalize() == scan.digest else {
      throw changed()
    }
    // A reader counts the entries of the file: where the store has others, it must count them from the start.
    let isResumable = isAsStored && scan.bookmark != nil
    try await flush(
      batch, after: shared, before, isLast: true, bookmark: isResumable ? scan.bookmark : nil,
      &writing)
    try await writing.finish()
  }

  /// Where the entries stand that the file has before what is read of it.
  private func placesBefore() throws -> FilePlaces {
    guard let grown = scan.grown else { return FilePlaces() }
    let pieces = try core.read { db in try grown.source.pieces(in: db) }
    return FilePlaces(pieces.prefix(grown.pieces))
  }

  /// - Parameters:
  ///   - record: A record.
  ///   - number: How many there are before it that say entries.
  ///   - index: How many entries those say.
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

  /// Has a batch written while the caller reads on.
  private func flush(
    _ records: [PreparedRecord], after shared: SharedPieces, _ before: FilePlaces?,
    isLast: Bool = false, bookmark: SourceBookmark? = nil, _ writing: inout BatchWriting
  ) async throws {
    let batch = ImportWriter(
      scan: scan, growth: growth, shared: shared.base, before: before, isLast: isLast,
      bookmark: bookmark,
      owner: try core.instance(), core: core)
    try await writing.start { [core] progress in
      var records = records
      try await core.takeIn(&records)
      return try await core.write(records, bytes: records.reduce(0) { $0 + $1.size }) {
        records, change in
        try batch.write(records, from: progress, in: change)
      }
    }
  }

  static func summary(
    of session: Session, source: ForeignSource, isNew: Bool = false, added: Int = 0,
    revised: Int = 0, parting: ImportReport.Parting? = nil, core: StoreCore
  ) throws -> ImportReport.ImportedSession {
    let summary = try core.read { db in try SessionList.summary(of: session.number, in: db) }
    guard let summary else { throw KeepsakeError.noSession(session.id) }
    return .init(
      summary, format: source.format, new: isNew, added: added, revised: revised, parting: parting)
  }
}

/// Writes the batches of an import one after the other, each while the next one is read.
private struct BatchWriting {
  /// How far the import has got with the batches that are written.
  var progress: ImportProgress
  private var running: Task<ImportProgress, any Error>?

  init(_ progress: ImportProgress) { self.progress = progress }

  /// Begins to write a batch, once the one before it is written.
  mutating func start(
    _ batch: @escaping @Sendable (ImportProgress) async throws -> ImportProgress
  ) async throws {
    try await finish()
    running = Task { [progress] in try await batch(progress) }
  }

  /// Waits until all is written that was begun; throws what that threw.
  mutating func finish() async throws {
    guard let running else { return }
    self.running = nil
    progress = try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      running.cancel()
    }
  }
}

/// The pieces with which the newest stored file of a session and a grown one begin alike: they are not stored again.
struct SharedPieces {
  /// The stored file, and how many of its pieces are shared.
  private(set) var base: (number: Int64, count: Int)?
  private var ids: [Int64] = []
  private var isOver = false

  /// None: the file begins a session.
  init() {}

  /// All that there is of a file that grew.
  init(of grown: GrownFile) {
    base = (grown.source.number, grown.pieces)
    isOver = true
  }

  init(_ session: Session, _ source: ForeignSource, in db: Tables) throws {
    let find = try db.prepare(
      """
      SELECT i.source FROM import AS i JOIN source AS s ON s.number = i.source
      WHERE i.session = ? AND s.format = ? ORDER BY i.number DESC LIMIT 1
      """)
    find.bind(session.number)
    find.bind(source.format)
    guard try find.step(), let row = try SourceRow(find.int64(), in: db) else { return }
    base = (row.number, 0)
    ids = try row.pieces(in: db).map(\.id)
  }

  /// Whether a record that is known stands in the stored file in the same place, byte for byte, or did until something
  /// of it was erased.
  mutating func takes(
    _ record: SourceRecord, _ standing: PreparedRecord.Standing, core: StoreCore
  ) throws -> Bool {
    guard standing.isKnown, !isOver, let base, base.count < ids.count else { return false }
    let stored = try core.read { db in try SourcePiece(ids[base.count], in: db) }
    let isErased = stored.content == nil && standing.isErased
    guard stored.entry?.position == standing.positions.first,
      stored.entries == standing.positions.count,
      try isErased || stored.says(record, core: core)
    else {
      isOver = true
      return false
    }
    self.base?.count += 1
    return true
  }

  /// Notes that a record is written: what follows it stands elsewhere in the file, even where its bytes are the same.
  mutating func end() { isOver = true }
}

extension SourcePiece {
  /// Whether a record has the same bytes; one that was erased has none to compare.
  fileprivate func says(_ record: SourceRecord, core: StoreCore) throws -> Bool {
    guard spans.count == record.spans.count, let bytes = try content?.unpacked() else {
      return false
    }
    var start = 0
    var left = 0
    for (stored, span) in zip(spans, record.spans) {
      let count = span.range.lowerBound - start
      guard stored.position == left + count, stored.position <= bytes.count,
        stored.spelling == span.spelling,
        bytes[left..<stored.position] == record.bytes[start..<span.range.lowerBound]
      else { return false }
      left = stored.position
      start = span.range.upperBound
      var hash = SHA256()
      _ = span.spelling.decode(record.bytes[span.range]) { hash.update($0) }
      let artifact = try core.read { db in
        try core.artifacts.artifact(number: stored.artifact, core: core, in: db)
      }
      guard artifact.id.digest == hash.finalize() else { return false }
    }
    return bytes[left...] == record.bytes[start...]
  }
}
