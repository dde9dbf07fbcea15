#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Writes one batch of a copy's records as rows, in a write transaction that may run more than once.
///
/// Every row gets numbers of this store. Each record was checked against its digest before. Whether all rows together are the
/// session's chain is checked when all of them are there.
struct RestoreWriter: Sendable {
  let plan: RestorePlan
  let manifest: CopyManifest
  /// The id of the open store that restores, by which other processes can tell whether it still does.
  let owner: UUID
  let handle: StoreHandle

  func write(_ batch: [PreparedCopy], from progress: RestoreProgress, in change: Change) throws
    -> RestoreProgress
  {
    var progress = progress
    var listed = SourceArtifacts()
    try requireOwn(progress, in: change.db)
    for prepared in batch {
      let artifacts = try keep(prepared, &progress, in: change)
      try write(prepared.record, artifacts, &progress, listing: &listed, in: change.db)
    }
    try listed.write(in: change.db)
    return progress
  }

  /// Throws if another process removed the written rows, because a suspended restoration counts as dead.
  private func requireOwn(_ progress: RestoreProgress, in db: Tables) throws {
    guard let last = progress.order.last.flatMap({ progress.made[$0] }) else { return }
    if try db.sessions.isRestoring(last.session.number, by: owner.bytes) { return }
    throw KeepsakeError(
      .locked,
      "Can't go on taking over sessions: while this was suspended, another process removed what was there of them. Try again.",
      object: handle.layout.path)
  }

  /// Keeps the artifacts of a record in the store, and returns their numbers.
  private func keep(
    _ prepared: PreparedCopy, _ progress: inout RestoreProgress, in change: Change
  ) throws -> [Artifact.ID: Int64] {
    var numbers: [Artifact.ID: Int64] = [:]
    for (id, artifact) in prepared.artifacts {
      let isKnown = try handle.artifacts.row(id.digest, in: change.db) != nil
      numbers[id] = try handle.artifacts.keep(artifact, handle: handle, in: change).home?.number
      guard progress.kept.insert(id).inserted else { continue }
      if isKnown {
        progress.artifacts.known += 1
      } else {
        progress.artifacts.new += 1
        progress.artifacts.bytes += artifact.size
      }
    }
    return numbers
  }

  private func write(
    _ record: CopyRecord, _ artifacts: [Artifact.ID: Int64], _ progress: inout RestoreProgress,
    listing listed: inout SourceArtifacts, in db: Tables
  ) throws {
    if record.kind == .session { return try begin(record, &progress, in: db) }
    guard let current = progress.current, var made = progress.made[current] else {
      throw CopyFault("a record of kind '\(record.kind.rawValue)' is of no session")
    }
    let rows = RestoreRows(
      session: made.session, artifacts: artifacts, base: progress.base ?? 0, db: db)
    switch record.kind {
    case .entry:
      guard record.int("position") == made.next else {
        throw CopyFault(
          "\(record.name(in: rows.name)) stands where entry \(made.next) should be")
      }
      try rows.insertEntry(record)
      made.next += 1
    case .revision:
      guard let position = record.int("position"), position >= made.start, position < made.next
      else { throw CopyFault("\(record.name(in: rows.name)) is of an entry that is not its own") }
      try rows.insert(record)
    case .attachment: try rows.insertAttachment(record)
    case .source:
      let recorded = record.int("chain.recorded") ?? 0
      guard made.sources[recorded] == nil else {
        throw CopyFault("\(record.name(in: rows.name)) is in it twice")
      }
      made.sources[recorded] = try rows.insertSource(
        record, base: record.int("base.import").flatMap { made.sources[$0] }, owner: owner)
    case .piece:
      let recorded = record.int("import") ?? 0
      guard var source = made.sources[recorded], record.int("ordinal") == source.next else {
        throw CopyFault(
          "piece \(record.int("ordinal") ?? 0) of import \(recorded) of session \(rows.name) is not the next one of a file"
        )
      }
      try rows.insertPiece(record, of: source.number, listing: &listed)
      source.next += 1
      made.sources[recorded] = source
    case .turn, .invocation, .change: try rows.insert(record)
    case .session, .span: break
    case .standing, .recognition, .saved:
      throw CopyFault(
        "it has a record of kind '\(record.kind.rawValue)', which belongs into no copy")
    }
    progress.made[current] = made
  }
}

// MARK: - A session

extension RestoreWriter {
  private func begin(
    _ record: CopyRecord, _ progress: inout RestoreProgress, in db: Tables
  ) throws {
    guard let head = CopyManifest.Head(record), manifest.sessions.contains(head) else {
      throw CopyFault("a session in it is not the one that it promised")
    }
    progress.current = nil
    if plan.known[head.session] != nil { return }
    try Store.requireFree(head.session, in: db)
    let parent = try parent(of: record, progress)
    let start = record.int("fork.position") ?? 0
    let number = try db.sessions.insertRestored(record, parent: parent, head: head)
    let session = Session(
      id: head.session, number: number, lineage: try Lineage(of: number, in: db), handle: handle)
    try db.sessions.markRestoring(number, by: owner.bytes)
    try describe(session, record, in: db)
    try reserve(session, &progress, in: db)
    progress.made[head.session] = .init(
      session: session, isPurged: head.isPurged, start: start, next: start)
    progress.order.append(head.session)
    progress.current = head.session
  }

  /// Returns the number of a fork's parent; nil for a session that is no fork.
  private func parent(of record: CopyRecord, _ progress: RestoreProgress) throws -> Int64? {
    let fork = ["fork.of", "fork.position", "fork.change", "fork.head"].filter {
      record[$0] != .null
    }
    if fork.isEmpty { return nil }
    guard fork.count == 4, let id = record.bytes("fork.of").flatMap(UUID.init(bytes:)),
      let position = record.int("fork.position"), position <= EntryID.maximumPosition
    else { throw CopyFault("a fork in it does not say where it forked") }
    if let made = progress.made[id] { return made.session.number }
    guard let known = plan.known[id] else {
      throw CopyFault("session \(id), which a fork in it shares entries with, is not before it")
    }
    // A new fork of a purged session would show entries that may be gone.
    if plan.purged.contains(id) { throw RestorePlan.inTheWay(id, isDeleted: true) }
    return known
  }

  private func describe(_ session: Session, _ record: CopyRecord, in db: Tables) throws {
    let name = session.id.text
    for tag in try record.tags(of: name) { try session.insert(tag: tag, entry: -1, in: db) }
    if let metadata = try record.metadata(of: name) {
      try session.store(metadata: metadata, in: db)
    }
  }

  /// Reserves a place in the order of recording for each attachment of the copy, before attachments that others add meanwhile.
  private func reserve(
    _ session: Session, _ progress: inout RestoreProgress, in db: Tables
  ) throws {
    guard progress.base == nil else { return }
    let base = try db.attachments.newestNumber() ?? 0
    progress.base = base
    guard manifest.recordings > 0 else { return }
    try db.attachments.reserve(base + manifest.recordings, in: session.number)
  }
}
