#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension Store {
  /// Takes over sessions whole, as ``SessionCopy`` gave them: all of them, or, on an error, none.
  ///
  /// Rows are written in bounded batches into sessions that nobody sees, so that others can write meanwhile. Each artifact's
  /// bytes are checked against its name, each row against its digest, and then each chain as ``verify(_:progress:)`` does;
  /// only then are the sessions shown, all at once. A session that the store has, as it is in the copy or further on, is left
  /// as it is. What a crash leaves is not seen, and goes when the store is opened for writing again; of these sessions, before
  /// anything else.
  /// - Parameters:
  ///   - source: The copy.
  ///   - identity: What tells the records of a foreign format from others: a file that came with a session, and is whole,
  ///     is known again when it was imported elsewhere and has grown.
  /// - Throws: ``CopyFault``, where the copy is not as it should be; `conflict`, where the store has another session of the
  ///   same id.
  @concurrent
  package func restoring(
    _ source: any CopySource, identity: @escaping @Sendable (String) -> RecordIdentity?
  ) async throws -> ImportReport {
    try core.requireWriter()
    let manifest = source.manifest
    try await core.finishRemoving(manifest.sessions.map(\.session))
    let plan = try core.read { db in try RestorePlan(manifest, in: db) }
    return try await Restoration(source, plan, identity: identity, core: core).run()
  }
}

/// One restoring under way.
private struct Restoration {
  private let source: any CopySource
  private let plan: RestorePlan
  private let identity: @Sendable (String) -> RecordIdentity?
  private let core: StoreCore
  /// The open store's id, in the mark of each session that is made.
  private let owner: UUID
  private let artifacts: RestoreArtifacts

  init(
    _ source: any CopySource, _ plan: RestorePlan,
    identity: @escaping @Sendable (String) -> RecordIdentity?, core: StoreCore
  ) throws {
    self.source = source
    self.plan = plan
    self.identity = identity
    self.core = core
    owner = try core.instance()
    artifacts = RestoreArtifacts(source: source, core: core)
  }

  func run() async throws -> ImportReport {
    if !plan.new.isEmpty {
      let missing = try artifacts.missing()
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
      // Should this fail, too, whoever opens the store next does it: the first error is the one to tell.
      try? await core.abandonRestoration(of: progress.numbers, by: owner)
      throw error
    }
    return try report(progress)
  }

  private func write(_ progress: inout RestoreProgress) async throws {
    var reading = try source.open()
    let writer = RestoreWriter(
      plan: plan, manifest: source.manifest, owner: owner, core: core)
    var batch = Batch()
    var session = IncomingSession()
    var named: Set<Artifact.ID> = []
    while let next = try reading.next() {
      try Task.checkCancellation()
      named.formUnion(next.artifacts)
      guard let record = try session.take(next, plan, in: core) else { continue }
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
    let prepared = try await PreparedCopy.prepare(batch.records, from: artifacts)
    progress = try await core.write(prepared, bytes: batch.size) { [progress] prepared, change in
      try writer.write(prepared, from: progress, in: change)
    }
  }

  private func report(_ progress: RestoreProgress) throws -> ImportReport {
    var report = ImportReport(artifacts: progress.artifacts)
    for head in source.manifest.sessions where !head.isPurged {
      let made = progress.made[head.session]
      let number = made?.session.number ?? plan.known[head.session]
      let summary = try core.read { db in
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

/// Records that are written in one transaction.
private struct Batch {
  private static let recordLimit = 256
  private static let sizeLimit = 4 << 20

  private(set) var records: [CopyRecord] = []
  /// About how much they hold in memory and add to the transaction, with the artifacts that become rows.
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

/// What is known of the session whose records are read.
private struct IncomingSession {
  private(set) var seen: Set<UUID> = []
  private var name = ""
  private var isKnown = true
  /// Whether somebody put other white space into its records than there was.
  private var isRespelled = false

  /// A record as it is to be written, checked against its digest; nil where the store has it.
  mutating func take(_ record: CopyRecord, _ plan: RestorePlan, in core: StoreCore) throws
    -> CopyRecord?
  {
    if record.kind == .session {
      guard let id = record.bytes("id").flatMap(UUID.init(bytes:)), seen.insert(id).inserted else {
        throw CopyFault("a session is in it twice")
      }
      name = id.uuidString.lowercased()
      isKnown = !plan.new.contains(id)
      isRespelled = false
      if !isKnown { try requirePoint(record, plan, in: core) }
      return isKnown ? nil : record
    }
    if isKnown { return nil }
    var record = record
    // A revision's digest covers what its entry's row says, so that it goes by what its entry's was.
    if record.kind == .revision { return isRespelled ? record.compacted() : record }
    if try record.settleSpelling(of: name) { isRespelled = true }
    return record
  }

  /// Where a fork's parent is a session that the store has: its chain must have had the head that it was forked at.
  private func requirePoint(_ record: CopyRecord, _ plan: RestorePlan, in core: StoreCore) throws {
    guard let parent = record.bytes("fork.of").flatMap(UUID.init(bytes:)),
      let number = plan.known[parent], let change = record.int("fork.change")
    else { return }
    let head = try core.read { db in try ChainHistory(of: number, in: db).head(after: change) }
    guard head?.bytes == record.bytes("fork.head") else {
      throw CopyFault("session \(name) forked from \(parent) at a change that this never had")
    }
  }
}

// MARK: - Showing

extension Restoration {
  /// Fills in what is derived from the rows: counters, preview, model, cover.
  private func settle(_ progress: RestoreProgress) async throws {
    let made = progress.order.compactMap { progress.made[$0] }
    let facts = try core.read { db in
      try made.map { try RestoredFacts(of: $0, in: db) }
    }
    try await core.writeUncancelled { change in
      let free = try change.db.prepare(
        "DELETE FROM attachment WHERE session = ? AND recorded = 0")
      for fact in facts {
        free.bind(fact.session)
        try free.run()
        try fact.write(in: change.db)
      }
    }
  }

  /// Checks each session as `verify` does, and the files that it was imported from to the byte.
  /// - Returns: How the files that are whole begin, by their sources.
  private func check(_ progress: RestoreProgress) throws -> [(source: Int64, Beginnings)] {
    var beginnings: [(Int64, Beginnings)] = []
    for made in progress.order.compactMap({ progress.made[$0] }) {
      try Task.checkCancellation()
      var report = VerifyReport()
      try core.read { db in
        guard var check = try SessionCheck(made.session.number, in: db) else {
          throw KeepsakeError.noSession(made.session.id)
        }
        check.isRestored = true
        check.isPurged = made.isPurged
        try check.run(kept: [], report: &report)
        try requireShared(made.session, in: db)
        if made.isPurged, try !Self.hasForks(made.session.number, in: db) {
          throw CopyFault("session \(made.session.id) was deleted, and no fork in it needs it")
        }
      }
      let sources = SourceCheck(core: core, readData: true)
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

  /// Notes what a file that grew is known by. It is computed from what was checked: a copy could claim anything.
  private func identify(_ found: [(source: Int64, Beginnings)]) async throws {
    guard !found.isEmpty else { return }
    try await core.writeUncancelled { change in
      for (source, beginnings) in found { try beginnings.write(to: source, in: change.db) }
    }
  }

  /// All that a fork shares must be there.
  private func requireShared(_ session: Session, in db: Connection) throws {
    for piece in session.lineage.shared where !piece.positions.isEmpty {
      let find = try db.prepare("SELECT entries FROM session WHERE number = ?")
      find.bind(piece.session)
      guard try find.step(), find.int() >= piece.positions.upperBound else {
        throw CopyFault("session \(session.id) shares entries that are not there")
      }
    }
  }

  private static func hasForks(_ number: Int64, in db: Connection) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM session WHERE parent = ?")
    find.bind(number)
    return try find.step()
  }

  /// The last step: until then nobody sees any of it, from then on everybody all of it.
  private func show(_ progress: RestoreProgress) async throws {
    let made = progress.order.compactMap { progress.made[$0] }
    let (plan, core, format) = (plan, core, source.format)
    try await core.write { change in
      let db = change.db
      for (id, number) in plan.known where !plan.purged.contains(id) {
        let find = try db.prepare("SELECT 1 FROM session WHERE number = ? AND id = ? AND state = 0")
        find.bind(number)
        find.bind(id.bytes)
        guard try find.step() else { throw KeepsakeError.noSession(id) }
      }
      for made in made {
        let show = try db.prepare(
          "UPDATE session SET state = ? WHERE number = ? AND state = 3 RETURNING 1")
        show.bind(made.isPurged ? 2 : 0)
        show.bind(made.session.number)
        guard try show.step() else { throw KeepsakeError.noSession(made.session.id) }
        show.reset()
        for sql: StaticString in [
          "UPDATE source SET owner = NULL WHERE number IN (SELECT source FROM import WHERE session = ?)",
          "DELETE FROM restoring WHERE session = ?",
        ] {
          let statement = try db.prepare(sql)
          statement.bind(made.session.number)
          try statement.run()
        }
        if made.next > made.start {
          try made.session.enqueueForSearch(from: made.start, in: db)
        }
        if made.isPurged {
          // What its forks don't show came along for its chain, and goes.
          try Clearing.mark(made.session.number, in: db)
        } else {
          change.publish(.created(session: made.session.id))
        }
      }
      try change.log(
        .restore,
        [
          ("format", .string(format)),
          ("sessions", .array(made.map { .string($0.session.id.uuidString.lowercased()) })),
        ])
    }
  }

  /// A sentence as a part of another.
  private static func clause(_ sentence: String) -> String {
    let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
