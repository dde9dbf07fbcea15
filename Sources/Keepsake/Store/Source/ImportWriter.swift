#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Writes one batch of an import, inside of a write transaction that may run more than once.
struct ImportWriter: Sendable {
  let scan: ImportScan
  let growth: ImportScan.Growth?
  /// The source whose pieces this one begins with, and the number of those pieces; nil if there is none.
  let shared: (number: Int64, count: Int)?
  /// The positions of the file's entries before those that are read; nil if no event goes back to any.
  let before: FilePlaces?
  let isLast: Bool
  /// The place where a later reading of the file may go on; nil until this one is at its end.
  let bookmark: SourceBookmark?
  let owner: UUID
  let handle: StoreHandle

  /// Writes the batch, and returns how far the import has got.
  func write(_ records: [PreparedRecord], from progress: ImportProgress, in change: Change) throws
    -> ImportProgress
  {
    var progress = progress
    let source =
      if let known = progress.source {
        try requireOwn(known, progress, in: change.db)
      } else { try begin(&progress, in: change) }
    guard let session = progress.session else { return progress }
    var row = try SessionRow(session, in: change.db)
    let first = row.entries
    var artifacts = SourceArtifacts()
    for record in records {
      try count(record, &progress.artifacts, in: change.db)
      let piece = try piece(of: record, session, &row, &progress, in: change)
      try piece.insert(PieceID.make(source: source, ordinal: progress.ordinal), in: change.db)
      artifacts.add(piece.spans, of: source)
      progress.ordinal += 1
    }
    try artifacts.write(in: change.db)
    if row.entries > first {
      progress.first = progress.first ?? first
      progress.added += row.entries - first
      try session.enqueueForSearch(from: first, in: change.db)
      if !makesSession {
        change.publish(.appended(session: session.id, positions: first..<row.entries))
      }
    }
    if isLast { try finish(source, session, &row, progress, in: change) }
    try row.save(in: change.db)
    return progress
  }

  /// Tells whether the import makes its session, which is hidden until the last batch.
  private var makesSession: Bool { growth == nil || growth?.parting != nil }

  /// Makes the source, and a hidden session if the file continues none, and returns the source.
  private func begin(_ progress: inout ImportProgress, in change: Change) throws -> Int64 {
    try handle.refuseIfShared("Importing")
    if try scan.known(in: change.db) != nil { throw ImportRaced() }
    if let growth {
      guard try SessionRow.entries(of: growth.session, in: change.db) == growth.end else {
        throw ImportRaced()
      }
      if let position = growth.parting {
        guard
          try scan.newestOfSameID(handle: handle, in: change.db)?.number == growth.session.number
        else { throw ImportRaced() }
        progress.session = try growth.session.insertFork(
          UUID(), before: position, row: SessionRow(growth.session, in: change.db),
          title: scan.facts.title, foreignID: scan.facts.id, isHidden: true, in: change.db)
      }
      if let grown = scan.grown {
        guard try SessionRow(grown.session, in: change.db).chain.count == grown.changes else {
          throw ImportRaced()
        }
        if isLast, let source = try extend(grown, in: change.db) {
          progress.source = source
          progress.ordinal = grown.pieces
          progress.extended = grown.import
          return source
        }
      }
    } else {
      guard try scan.continuation(handle: handle, in: change.db) == nil else { throw ImportRaced() }
      progress.session = try Store.insertSession(
        UUID(), title: scan.facts.title, origin: scan.source.format,
        foreignID: scan.facts.id, created: scan.created ?? handle.now(), isHidden: true,
        handle: handle, in: change.db)
    }
    let base = shared.flatMap { $0.count > 0 ? $0 : nil }
    let number = try change.db.sources.insert(
      NewSource(
        format: scan.source.format, name: scan.source.name, created: handle.now(), size: scan.size,
        digest: scan.digest, base: base, owner: owner.bytes,
        target: makesSession ? progress.session?.number : nil, records: scan.beginnings.records,
        beginning: scan.beginnings.atOpening, identity: scan.beginnings.all))
    progress.source = number
    progress.owner = owner
    progress.ordinal = base?.count ?? 0
    return number
  }

  /// Checks that the source still belongs to this import.
  ///
  /// An import that was suspended counts as dead to other processes, which then remove its rows. It has to begin again.
  private func requireOwn(_ source: Int64, _ progress: ImportProgress, in db: Tables) throws
    -> Int64
  {
    guard try db.sources.isOwned(source, by: progress.owner?.bytes) else { throw ImportRaced() }
    return source
  }

  /// Writes the entries of a record, and returns the piece that keeps the record.
  private func piece(
    of record: PreparedRecord, _ session: Session, _ row: inout SessionRow,
    _ progress: inout ImportProgress, in change: Change
  ) throws -> SourcePiece {
    var entry: EntryID?
    for (ordinal, item) in record.entries.enumerated() {
      let position = item.position ?? row.entries
      entry = entry ?? session.lineage.id(of: position)
      switch item {
      case .known: break
      case .new(var new):
        if let target = record.returns[ordinal] {
          new = try new.continuing(after: place(of: target, progress, below: position))
        }
        _ = try session.insert(new, row: &row, in: change)
      case .changed(let position, let content, let texts, let salt):
        _ = try session.revise(
          position, to: content, texts: texts, salt: salt, at: handle.now(), row: &row, in: change)
        progress.revised += 1
      }
      progress.places.add(record.index + ordinal, at: position)
    }
    let spans = try record.spans.map { span in
      guard let artifact = record.artifact(of: span) else {
        preconditionFailure("A record is written before its bytes were taken in")
      }
      // An attachment of the record usually brought it in just now.
      let known = try handle.artifacts.row(artifact.digest, in: change.db)?.number
      let number =
        try known ?? handle.artifacts.keep(artifact, handle: handle, in: change).home?.number
      guard let number else { throw ImportRaced() }
      return SourcePiece.Span(
        position: span.position, artifact: number, spelling: span.spelling)
    }
    return SourcePiece(
      content: record.content, entry: entry, entries: record.entries.count, spans: spans)
  }

  /// Returns the position of an entry of the file, which is always before the entry that goes back to it.
  private func place(of entry: Int, _ progress: ImportProgress, below end: Int) -> Int {
    let read = entry - (before?.count ?? 0)
    let position = read < 0 ? before?.position(of: entry) : progress.places.position(of: read)
    return min(position ?? LivePath.beginning, end - 1)
  }

  /// Counts the artifacts of a record, before they are written.
  private func count(
    _ record: PreparedRecord, _ artifacts: inout ImportReport.Artifacts, in db: Tables
  ) throws {
    var seen: Set<SHA256Digest> = []
    for case .new(let new) in record.entries {
      for artifact in new.attachments.compactMap(\.artifact) {
        if try seen.contains(artifact.digest)
          || handle.artifacts.row(artifact.digest, in: db) != nil
        {
          artifacts.known += 1
        } else {
          artifacts.new += 1
          artifacts.bytes += artifact.size
        }
        seen.insert(artifact.digest)
      }
    }
    // A record that becomes no entry may still hold the first copy of an artifact that a later entry shows.
    for span in record.spans {
      guard case .own = span.content, let artifact = record.artifact(of: span),
        try !seen.contains(artifact.digest) && handle.artifacts.row(artifact.digest, in: db) == nil
      else { continue }
      artifacts.new += 1
      artifacts.bytes += artifact.size
      seen.insert(artifact.digest)
    }
  }

  /// Takes over the title that a program gave to the conversation when it had gone on for a while.
  ///
  /// A title that a person gave stays.
  private func takeTitle(of session: Session, in change: Change) throws {
    guard let title = scan.facts.title, title != scan.formerTitle else { return }
    let isTaken = try change.db.sessions.retitle(
      session.number, to: title, ifTitled: scan.formerTitle)
    if isTaken { change.publish(.renamed(session: session.id)) }
  }

  /// Records the import, remembers the file, and shows the session.
  private func finish(
    _ source: Int64, _ session: Session, _ row: inout SessionRow, _ progress: ImportProgress,
    in change: Change
  ) throws {
    var taken: ImportRow
    if let extended = progress.extended {
      taken = try ImportRow(extended, in: change.db)
      if taken.count == 0 { taken.first = progress.first ?? taken.first }
      taken.count += progress.added
    } else {
      taken = ImportRow(
        session: session.number, source: source, created: handle.now(),
        first: progress.first ?? row.entries, count: progress.added, recorded: row.chain.next)
    }
    // A source that goes on keeps its name, whatever the file is called by now.
    let name = progress.extended == nil ? scan.source.name : scan.grown?.source.name
    let digest = taken.digest(
      format: scan.source.format, name: name, size: scan.size, digest: scan.digest)
    taken.link =
      if progress.extended != nil {
        try row.chain.replace(
          taken.link, at: taken.recorded, by: .take, digest: digest, in: change.db)
      } else { row.chain.begin(.take, at: taken.recorded, digest: digest) }
    let number = try taken.save(as: progress.extended, in: change.db)
    if let stream = scan.source.stream {
      try stream.note(import: number, of: session, in: change)
    }
    if let standing = scan.source.standing {
      // The rest of the file follows in the session only if the session ends as the file does.
      let endsAlike = progress.added > 0 || scan.grown != nil
      try SeenFile.insert(
        standing, import: number, scan.skipped, endsAlike ? bookmark : nil,
        changes: row.chain.count, in: change.db)
    }
    try change.db.sources.complete(source)
    if let growth, growth.parting == nil { try takeTitle(of: growth.session, in: change) }
    try change.db.sessions.show(session.number)
    try change.log(
      .import,
      [
        ("session", .string(session.id.text)),
        ("format", .string(scan.source.format)),
        ("source", .string(scan.digest.hex)), ("entries", .number(Int64(progress.added))),
      ])
    if makesSession { change.publish(.created(session: session.id)) }
  }
}
