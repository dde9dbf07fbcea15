#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Writes one batch of an import, inside of a write transaction that may run more than once.
struct ImportWriter: Sendable {
  let scan: ImportScan
  let growth: ImportScan.Growth?
  /// The source that this one begins with, and how many pieces they share.
  let shared: (number: Int64, count: Int)?
  /// Where the entries stand that the file has before those that are read; nil where nothing goes back.
  let before: FilePlaces?
  let isLast: Bool
  /// Where the next reading of the file may go on; nil until this one is at its end.
  let bookmark: SourceBookmark?
  let owner: UUID
  let core: StoreCore

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
      try piece.insert(
        PieceID.make(source: source, ordinal: progress.ordinal), listing: &artifacts, in: change.db)
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

  /// Whether it makes the session that it writes to, which is hidden until the last batch.
  private var makesSession: Bool { growth == nil || growth?.parting != nil }

  /// Makes the source, and the session where there is none, hidden until the last batch.
  private func begin(_ progress: inout ImportProgress, in change: Change) throws -> Int64 {
    if try scan.known(in: change.db) != nil { throw ImportRaced() }
    if let growth {
      guard try SessionRow.entries(of: growth.session, in: change.db) == growth.end else {
        throw ImportRaced()
      }
      if let position = growth.parting {
        guard try scan.newestOfSameID(core: core, in: change.db)?.number == growth.session.number
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
      guard try scan.continuation(core: core, in: change.db) == nil else { throw ImportRaced() }
      progress.session = try Store.insertSession(
        UUID(), title: scan.facts.title, origin: scan.source.format,
        foreignID: scan.facts.id, created: scan.created ?? core.now(), isHidden: true,
        core: core, in: change.db)
    }
    let insert = try change.db.prepare(
      """
      INSERT INTO source
        (format, name, created, size, digest, base, base_pieces, owner, target, records, beginning,
          identity)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    let base = shared.flatMap { $0.count > 0 ? $0 : nil }
    insert.bind(scan.source.format)
    insert.bind(scan.source.name)
    insert.bind(core.now())
    insert.bind(scan.size)
    insert.bind(scan.digest)
    insert.bind(base?.number)
    insert.bind(base?.count ?? 0)
    insert.bind(owner.bytes)
    insert.bind(makesSession ? progress.session?.number : nil)
    insert.bind(scan.beginnings.records)
    insert.bind(scan.beginnings.atOpening)
    insert.bind(scan.beginnings.all)
    try insert.run()
    let number = try change.db.insertedRow(in: .source)
    progress.source = number
    progress.owner = owner
    progress.ordinal = base?.count ?? 0
    return number
  }

  /// An import that was suspended counts as dead to other processes, which then remove what it wrote: it begins again.
  private func requireOwn(_ source: Int64, _ progress: ImportProgress, in db: Tables) throws
    -> Int64
  {
    let find = try db.prepare("SELECT 1 FROM source WHERE number = ? AND owner = ?")
    find.bind(source)
    find.bind(progress.owner?.bytes)
    guard try find.step() else { throw ImportRaced() }
    return source
  }

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
          position, to: content, texts: texts, salt: salt, at: core.now(), row: &row, in: change)
        progress.revised += 1
      }
      progress.places.add(record.index + ordinal, at: position)
    }
    let spans = try record.spans.map { span in
      guard let artifact = record.artifact(of: span) else {
        preconditionFailure("A record is written before its bytes were taken in")
      }
      // As a rule an attachment of the record brought it in just now.
      let known = try core.artifacts.row(artifact.digest, in: change.db)?.number
      let number = try known ?? core.artifacts.keep(artifact, core: core, in: change).home?.number
      guard let number else { throw ImportRaced() }
      return SourcePiece.Span(
        position: span.position, artifact: number, spelling: span.spelling)
    }
    return SourcePiece(
      content: record.content, entry: entry, entries: record.entries.count, spans: spans)
  }

  /// Where the session has an entry of the file; always before the one that goes back to it.
  private func place(of entry: Int, _ progress: ImportProgress, below end: Int) -> Int {
    let read = entry - (before?.count ?? 0)
    let position = read < 0 ? before?.position(of: entry) : progress.places.position(of: read)
    return min(position ?? LivePath.beginning, end - 1)
  }

  private func count(
    _ record: PreparedRecord, _ artifacts: inout ImportReport.Artifacts, in db: Tables
  ) throws {
    var seen: Set<SHA256Digest> = []
    for case .new(let new) in record.entries {
      for artifact in new.attachments.compactMap(\.artifact) {
        if try seen.contains(artifact.digest)
          || core.artifacts.row(artifact.digest, in: db) != nil
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
        try !seen.contains(artifact.digest) && core.artifacts.row(artifact.digest, in: db) == nil
      else { continue }
      artifacts.new += 1
      artifacts.bytes += artifact.size
      seen.insert(artifact.digest)
    }
  }

  /// Programs name a conversation when it has gone on for a while. A title that a person gave here stays.
  private func takeTitle(of session: Session, in change: Change) throws {
    guard let title = scan.facts.title, title != scan.formerTitle else { return }
    let update = try change.db.prepare(
      "UPDATE session SET title = ?1 WHERE number = ?2 AND (title IS NULL OR title = ?3) RETURNING 1"
    )
    update.bind(title)
    update.bind(session.number)
    update.bind(scan.formerTitle)
    if try update.step() { change.publish(.renamed(session: session.id)) }
    update.reset()
  }

  /// Records what was taken over, and shows it.
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
        session: session.number, source: source, created: core.now(),
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
      try StreamRow.note(stream, import: number, of: session, in: change)
    }
    if let standing = scan.source.standing {
      // Only where the session ends as the file does is what follows in the one what follows in the other.
      let endsAlike = progress.added > 0 || scan.grown != nil
      try SeenFile.insert(
        standing, import: number, scan.skipped, endsAlike ? bookmark : nil,
        changes: row.chain.count, in: change.db)
    }
    let complete = try change.db.prepare(
      "UPDATE source SET owner = NULL, target = NULL WHERE number = ?")
    complete.bind(source)
    try complete.run()
    if let growth, growth.parting == nil { try takeTitle(of: growth.session, in: change) }
    let show = try change.db.prepare("UPDATE session SET state = ? WHERE number = ? AND +state = ?")
    show.bind(SessionPresence.shown)
    show.bind(session.number)
    show.bind(SessionPresence.importing)
    try show.run()
    try change.log(
      .import,
      [
        ("session", .string(session.id.uuidString.lowercased())),
        ("format", .string(scan.source.format)),
        ("source", .string(scan.digest.hex)), ("entries", .number(Int64(progress.added))),
      ])
    if makesSession { change.publish(.created(session: session.id)) }
  }
}
