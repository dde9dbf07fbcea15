#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension Store {
  /// Restores whole sessions from a copy that ``SessionCopy`` made; after an error none of them is there.
  ///
  /// Rows are written in bounded batches into hidden sessions, so that others can write meanwhile. Each artifact is checked
  /// against its id, each row against its digest, and finally each chain, as ``verify(_:progress:)`` does. Only then do the
  /// sessions appear, all at once. A session that the store has already, with the copy's changes and perhaps more, does not
  /// change. What a crash leaves stays hidden, and is removed when the store is next opened for writing, or at the start of the
  /// next restoration of the same sessions.
  /// - Parameters:
  ///   - source: The copy.
  ///   - identity: Gives, by format, how to recognize the records of a foreign file. A restored file is recognized again when
  ///     the same file has grown and is imported.
  /// - Returns: The report of what was restored.
  /// - Throws: A ``CopyFault`` if the copy is faulty, or a ``KeepsakeError`` with the code `conflict` if the store has another
  ///   session with the same id.
  @concurrent
  package func restoring(
    _ source: any CopySource, identity: @escaping @Sendable (String) -> RecordIdentity?
  ) async throws -> ImportReport {
    try handle.requireWriter()
    try handle.refuseIfShared("Restoring")
    let manifest = source.manifest
    try await handle.finishRemoving(manifest.sessions.map(\.session))
    let plan = try handle.read { db in try RestorePlan(manifest, in: db) }
    return try await Restoration(source, plan, identity: identity, handle: handle).run()
  }
}

/// A running restoration of a copy.
private struct Restoration {
  private let source: any CopySource
  private let plan: RestorePlan
  private let identity: @Sendable (String) -> RecordIdentity?
  private let handle: StoreHandle
  /// The open store's id, which marks each session that is being made.
  private let owner: UUID
  private let artifacts: RestoreArtifacts

  init(
    _ source: any CopySource, _ plan: RestorePlan,
    identity: @escaping @Sendable (String) -> RecordIdentity?, handle: StoreHandle
  ) throws {
    self.source = source
    self.plan = plan
    self.identity = identity
    self.handle = handle
    owner = try handle.instance()
    artifacts = RestoreArtifacts(source: source, handle: handle)
  }

  func run() async throws -> ImportReport {
    if !plan.new.isEmpty {
      let missing = try artifacts.missing(of: source.manifest.artifacts.keys)
      guard missing == 0 else {
        throw CopyFault(
          "the bytes of \(missing) of its \(source.manifest.artifacts.count) artifacts are neither in it nor in the store; export it with them"
        )
      }
    }
    var progress = RestoreProgress()
    do {
      try await write(&progress)
      if !progress.made.isEmpty {
        try await settle(progress)
        let beginnings = try check(progress)
        try await identify(beginnings)
        try await show(progress)
      }
    } catch {
      // If this fails as well, the next opening of the store does it. The first error is the one to report.
      try? await handle.abandonRestoration(of: progress.numbers, by: owner)
      throw error
    }
    return try report(progress)
  }

  private func write(_ progress: inout RestoreProgress) async throws {
    var reading = try source.open()
    let writer = RestoreWriter(
      plan: plan, manifest: source.manifest, owner: owner, handle: handle)
    var batch = Batch()
    var session = IncomingSession()
    var named: Set<Artifact.ID> = []
    while let next = try reading.next() {
      try Task.checkCancellation()
      named.formUnion(next.artifacts)
      guard let record = try session.take(next, plan, in: handle) else { continue }
      for id in record.requiredArtifacts where source.manifest.artifacts[id] == nil {
        throw CopyFault("it names \(id), which is not among its artifacts")
      }
      batch.add(record, source.manifest)
      if batch.isFull {
        try await flush(batch, writer, &progress)
        batch = Batch()
      }
    }
    try await flush(batch, writer, &progress)
    let sessions = Set(source.manifest.sessions.map(\.session))
    guard session.seen == sessions else {
      throw CopyFault("a session that it promised is not in it")
    }
    for id in source.manifest.artifacts.keys.sorted() where !named.contains(id) {
      throw CopyFault("nothing in it names \(id), which is among its artifacts")
    }
  }

  private func flush(
    _ batch: Batch, _ writer: RestoreWriter, _ progress: inout RestoreProgress
  ) async throws {
    guard !batch.records.isEmpty else { return }
    let prepared = try await PreparedCopy.prepare(
      batch.records, of: source.manifest, from: artifacts)
    progress = try await handle.write(prepared, bytes: batch.size) {
      [progress, handle] prepared, change in
      try handle.refuseIfShared("Restoring")
      return try writer.write(prepared, from: progress, in: change)
    }
  }

  private func report(_ progress: RestoreProgress) throws -> ImportReport {
    var report = ImportReport(artifacts: progress.artifacts)
    for head in source.manifest.sessions where !head.isPurged {
      let made = progress.made[head.session]
      let number = made?.session.number ?? plan.known[head.session]
      let summary = try handle.read { db in
        try number.flatMap { try SessionList.summary(of: $0, in: db) }
      }
      guard let summary else { throw KeepsakeError.noSession(head.session) }
      report.sessions.append(
        .init(
          id: head.session, title: summary.title, entries: summary.entries,
          attachments: summary.attachments, format: source.format, new: made != nil,
          added: made.map { $0.next - $0.start } ?? 0, revised: 0, parting: nil))
    }
    return report
  }
}

/// The records to write in one transaction.
private struct Batch {
  private static let recordLimit = 256
  private static let sizeLimit = 4 << 20

  private(set) var records: [CopyRecord] = []
  /// About how many bytes the records hold in memory and add to the transaction, with the artifacts that become rows.
  private(set) var size = 0

  var isFull: Bool { records.count >= Self.recordLimit || size >= Self.sizeLimit }

  mutating func add(_ record: CopyRecord, _ manifest: CopyManifest) {
    records.append(record)
    size += record.size
    for id in record.artifacts {
      guard let bytes = manifest.artifacts[id], bytes <= Artifact.inlineLimit else { continue }
      size += Int(bytes)
    }
  }
}

/// The session whose records are being read.
private struct IncomingSession {
  private(set) var seen: Set<UUID> = []
  private var name = ""
  private var isKnown = true
  /// Tells whether the white space in the session's records was changed.
  private var isRespelled = false

  /// Returns a record that is checked against its digest, and ready to be written; nil if the store has the session.
  mutating func take(_ record: CopyRecord, _ plan: RestorePlan, in handle: StoreHandle) throws
    -> CopyRecord?
  {
    if record.kind == .session {
      guard let id = record.bytes("id").flatMap(UUID.init(bytes:)), seen.insert(id).inserted else {
        throw CopyFault("a session is in it twice")
      }
      name = id.text
      isKnown = !plan.new.contains(id)
      isRespelled = false
      if !isKnown { try requirePoint(record, plan, in: handle) }
      return isKnown ? nil : record
    }
    if isKnown { return nil }
    var record = record
    // The digest of a revision depends on the row of its entry, so its white space is treated like that of the session's
    // entries.
    if record.kind == .revision { return isRespelled ? record.compacted() : record }
    if try record.settleSpelling(of: name) { isRespelled = true }
    return record
  }

  /// Throws if a fork's parent is in the store, and its chain never had the head at which the fork was made.
  private func requirePoint(_ record: CopyRecord, _ plan: RestorePlan, in handle: StoreHandle)
    throws
  {
    guard let parent = record.bytes("fork.of").flatMap(UUID.init(bytes:)),
      let number = plan.known[parent], let change = record.int("fork.change")
    else { return }
    let head = try handle.read { db in try ChainHistory(of: number, in: db).head(after: change) }
    guard head?.bytes == record.bytes("fork.head") else {
      throw CopyFault("session \(name) forked from \(parent) at a change that this never had")
    }
  }
}

// MARK: - Showing

extension Restoration {
  /// Writes the derived values of each session: counters, preview, model, cover.
  private func settle(_ progress: RestoreProgress) async throws {
    let made = progress.order.compactMap { progress.made[$0] }
    let facts = try handle.read { db in
      try made.map { try RestoredFacts(of: $0, in: db) }
    }
    try await handle.writeUncancelled { change in
      for fact in facts {
        try change.db.attachments.freeAll(of: fact.session)
        try change.db.sessions.settle(fact)
      }
    }
  }

  /// Checks each session as `verify` does, and the sources of its imports to the byte.
  ///
  /// - Parameter progress: The sessions that were made.
  /// - Returns: The beginnings of complete sources, by the sources' numbers.
  private func check(_ progress: RestoreProgress) throws -> [(source: Int64, Beginnings)] {
    var beginnings: [(Int64, Beginnings)] = []
    for made in progress.order.compactMap({ progress.made[$0] }) {
      try Task.checkCancellation()
      var report = VerifyReport()
      try handle.read { db in
        guard var check = try SessionCheck(made.session.number, in: db) else {
          throw KeepsakeError.noSession(made.session.id)
        }
        check.isRestored = true
        check.isPurged = made.isPurged
        try check.run(kept: [], report: &report)
        try requireShared(made.session, in: db)
        if made.isPurged, try !db.sessions.hasForks(made.session.number) {
          throw CopyFault("session \(made.session.id) was deleted, and no fork in it needs it")
        }
      }
      let sources = SourceCheck(handle: handle, readData: true)
      for source in made.sources.values {
        let found = try sources.check(
          restored: source.number, identity: identity, report: &report)
        if let found { beginnings.append((source.number, found)) }
      }
      if let finding = report.findings.first(where: { $0.severity == .damaged }) {
        throw CopyFault("\(finding.object): \(Self.clause(finding.what))")
      }
    }
    return beginnings
  }

  /// Stores by what a grown file is recognized, computed from the checked bytes, because a copy could claim anything.
  private func identify(_ found: [(source: Int64, Beginnings)]) async throws {
    guard !found.isEmpty else { return }
    try await handle.writeUncancelled { change in
      for (source, beginnings) in found { try beginnings.write(to: source, in: change.db) }
    }
  }

  /// Throws if entries that a fork shares are missing.
  private func requireShared(_ session: Session, in db: Tables) throws {
    for piece in session.lineage.shared where !piece.positions.isEmpty {
      guard let count = try db.sessions.entryCount(of: piece.session),
        count >= piece.positions.upperBound
      else {
        throw CopyFault("session \(session.id) shares entries that are not there")
      }
    }
  }

  /// Shows all restored sessions in one transaction, as the last step.
  private func show(_ progress: RestoreProgress) async throws {
    let made = progress.order.compactMap { progress.made[$0] }
    let (plan, handle, format) = (plan, handle, source.format)
    try await handle.write { change in
      let db = change.db
      for (id, number) in plan.known where !plan.purged.contains(id) {
        guard try db.sessions.isShown(number, id: id.bytes) else {
          throw KeepsakeError.noSession(id)
        }
      }
      for made in made {
        guard try db.sessions.showRestored(made.session.number, isPurged: made.isPurged) else {
          throw KeepsakeError.noSession(made.session.id)
        }
        if made.next > made.start {
          try made.session.enqueueForSearch(from: made.start, in: db)
        }
        if made.isPurged {
          // Entries that the forks don't show are only in the copy for the chain, and are removed.
          try db.clearing.mark(made.session.number)
        } else {
          change.publish(.created(session: made.session.id))
        }
      }
      try change.log(
        .restore,
        [
          ("format", .string(format)),
          ("sessions", .array(made.map { .string($0.session.id.text) })),
        ])
    }
  }

  /// Returns a sentence as a clause, with a small first letter and without its full stop.
  private static func clause(_ sentence: String) -> String {
    let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
