#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Writes a commit that another store made, inside of a write transaction that may run more than once.
///
/// The rows are written in place: a session keeps its number, so that handles stay good. Nothing is believed: the links of the
/// rows have to lead from the chain that the session has to the one that the commit promises, each row has to have the digest
/// that its link says, and a link that a row loses has to be kept.
struct CommitWriter {
  let commit: SessionCommit
  let artifacts: [Artifact.ID: PreparedArtifact]
  let handle: StoreHandle
  /// The number that the session gets if the commit makes it; nil for any that is free.
  var number: Int64?
  /// Tells whether the session may have some of the commit's changes already, by another way.
  var mayBeAhead = false
  /// Tells whether those who observe the store hear nothing of the commit.
  var isSilent = false

  /// The outcome of writing a commit.
  struct Outcome: Sendable {
    var unused = UnusedArtifacts()
    /// Tells whether content was erased, of which traces may be left.
    var hasErased = false
  }

  func write(in change: Change) throws -> Outcome {
    let db = change.db
    var target = try target(in: db)
    guard let end = commit.end,
      try CommitLinks(of: commit, after: target.base).fold(onto: target.base, of: commit.session)
        == end
    else {
      throw CopyFault(
        "the changes of session \(commit.session) in it lead to another head than it promises")
    }
    var numbers: [Artifact.ID: Int64] = [:]
    for (id, artifact) in artifacts {
      numbers[id] = try handle.artifacts.keep(artifact, handle: handle, in: change).home?.number
    }
    var rows = try CommitRowWriter(commit, to: target, artifacts: numbers, in: db)
    try SearchIndex.changing(rows.changedEntries(commit), in: db) {
      for record in commit.records { try rows.write(record) }
      for row in commit.gone { try rows.remove(row) }
    }
    try rows.finish()
    target.entries = rows.entries
    if commit.isOfPurged {
      try hide(target, in: change)
    } else if !rows.isSettled, target.isNew || target.entries != target.before {
      throw CopyFault("it does not say how session \(commit.session) stands with its new entries")
    }
    try db.commits.update(chain: end, of: target.session.number)
    try CommitCheck(session: target.session, db: db).run(commit, besides: rows.checkedEntries)
    if target.entries > target.before {
      try target.session.enqueueForSearch(from: target.before, in: db)
    }
    let erased = commit.records.filter { $0.isErased(after: target.base.count) }
    var outcome = Outcome(unused: rows.unused, hasErased: !erased.isEmpty)
    try renewForks(target, erased, rows, leaving: &outcome.unused, in: db)
    if outcome.hasErased {
      try Trace.index.mark(in: db)
      try Trace.log.mark(in: db)
    }
    var removed = Removal()
    try outcome.unused.removeErased(
      countingIn: &removed, among: Set(commit.erased.map(\.digest)), in: db)
    if !isSilent { try CommitEvents(target, rows, in: db).publish(commit, in: change) }
    return outcome
  }
}

// MARK: - Forks

extension CommitWriter {
  /// Takes erased content out of the forks of the written session, and out of the written session if that is a fork itself.
  private func renewForks(
    _ target: Target, _ erased: [CopyRecord], _ rows: CommitRowWriter,
    leaving unused: inout UnusedArtifacts, in db: Tables
  ) throws {
    let session = target.session
    let repetitions = ForkRepetitions(handle: handle, db: db)
    // A session that is new has no forks yet.
    if !target.isNew {
      for record in erased where record.kind == .entry || record.kind == .attachment {
        guard let position = record.int("position") else { continue }
        try repetitions.eraseRecords(
          of: session.lineage.id(of: position), besides: session.number, leaving: &unused)
      }
      if erased.contains(where: { $0.isEntry(.prompt) }) {
        try repetitions.renewPreviews(below: session.number)
      }
    }
    if session.lineage.shared.isEmpty { return }
    if rows.isSettled { try repetitions.renewPreview(of: session) }
    if rows.hasErasedRecords { try repetitions.list(session.number) }
  }
}

// MARK: - The session

extension CommitWriter {
  /// The session that a commit changes.
  struct Target {
    let session: Session
    /// The chain that the commit has to build on.
    let base: Chain
    let isNew: Bool
    /// Tells whether the session was deleted here, and is there for its forks.
    let isPurged: Bool
    /// The number of entries before the commit.
    let before: Int
    var entries: Int
  }

  private func target(in db: Tables) throws -> Target {
    guard let base = commit.base else { return try make(in: db) }
    guard let known = try db.sessions.standing(of: commit.session.bytes),
      known.state == SessionPresence.shown.rawValue
        || known.state == SessionPresence.purged.rawValue
    else { throw KeepsakeError.noSession(commit.session) }
    let session = Session(
      id: commit.session, number: known.number, lineage: try Lineage(of: known.number, in: db),
      handle: handle)
    let row = try SessionRow(session, orPurged: true, in: db)
    // Nothing makes a deleted session one that is there again.
    let isPurged = known.state == SessionPresence.purged.rawValue
    if isPurged, !commit.isOfPurged { throw KeepsakeError.noSession(commit.session) }
    guard try row.chain.end == base || isOn(row.chain.end, after: base) else {
      throw KeepsakeError(
        .conflict,
        "Can't take over a change of session \(commit.session): it was made to another state of the session than the one here.",
        object: commit.session.uuidString)
    }
    return Target(
      session: session, base: row.chain.end, isNew: false, isPurged: isPurged, before: row.entries,
      entries: row.entries)
  }

  /// Tells whether a chain is one that the commit's own links lead through, so that the session has the first of them already.
  private func isOn(_ chain: Chain, after base: Chain) throws -> Bool {
    guard mayBeAhead, chain.count > base.count, let end = commit.end, chain.count <= end.count
    else {
      return false
    }
    let links = try CommitLinks(of: commit, after: base)
    return try links.fold(onto: base, of: commit.session, upTo: chain.count) == chain
  }

  /// Makes a session that is new, hidden until all of the commit is written.
  private func make(in db: Tables) throws -> Target {
    guard let record = commit.records.first, record.kind == .session,
      record.bytes("id").flatMap(UUID.init(bytes:)) == commit.session, let end = commit.end
    else { throw CopyFault("it makes session \(commit.session), and does not say what that is") }
    try Store.requireFree(commit.session, in: db)
    let (parent, base) = try beginning(record, in: db)
    let number = try db.sessions.insertRestored(
      record, parent: parent,
      head: .init(session: commit.session, changes: end.count, head: end.head.bytes, purged: false),
      as: number)
    let session = Session(
      id: commit.session, number: number, lineage: try Lineage(of: number, in: db), handle: handle)
    let start = record.int("fork.position") ?? 0
    if let parent { try db.sessions.raiseReach(of: parent, to: start) }
    // Of a deleted session only what other forks share may be here. A deleted fork may need none of it.
    guard try commit.isOfPurged || session.lineage.isWhole(before: start, in: db) else {
      throw CopyFault("session \(commit.session) shares entries that were deleted")
    }
    return Target(
      session: session, base: base, isNew: true, isPurged: false, before: start, entries: start)
  }

  /// Returns the parent of a new session, if it is a fork, and the chain with which it begins.
  private func beginning(_ record: CopyRecord, in db: Tables) throws -> (parent: Int64?, Chain) {
    let created = record.integer("created") ?? 0
    guard let of = record.bytes("fork.of") else {
      return (nil, Chain(beginning: commit.session.bytes, created: created))
    }
    guard let position = record.int("fork.position"), let changes = record.int("fork.change"),
      let head = record.bytes("fork.head").flatMap(SHA256Digest.init(bytes:))
    else { throw CopyFault("fork \(commit.session) does not say where it forked") }
    let point = Chain(head: head, count: changes)
    guard let id = UUID(bytes: of), let parent = try db.sessions.standing(of: of),
      try ChainHistory.has(
        point, session: parent.number,
        endingAt: SessionRow(parent.number, id: id, orPurged: true, in: db).chain.end, in: db)
    else { throw CopyFault("session \(commit.session) forked from a change that is not here") }
    return (
      parent.number,
      Chain(forking: point, at: position, into: commit.session.bytes, created: created)
    )
  }
}

extension CommitWriter {
  /// Makes the session one that is there for its forks alone, as it is where the commit comes from. Its rows stay until the
  /// forks have come, and the commit that says that it was deleted.
  private func hide(_ target: Target, in change: Change) throws {
    try change.db.commits.countBytes(of: target.session.number)
    if target.isPurged { return }
    try change.db.commits.hide(
      target.session.number, entries: target.entries,
      updated: commit.records.first?.integer("updated"))
    if !target.isNew { change.publish(.deleted(session: commit.session)) }
  }
}

extension SessionCommit {
  /// Tells whether the commit says that the session was deleted.
  var isDeletion: Bool { isRemoval || isOfPurged }

  /// Tells whether the commit says all of the session, whatever came before it.
  var standsAlone: Bool { isRemoval || isWhole }

  /// Tells whether the session was deleted where the commit comes from, and is there for its forks.
  var isOfPurged: Bool {
    records.first.map {
      $0.kind == .session && $0.int(at: Self.state) == SessionPresence.purged.rawValue
    } ?? false
  }

  private static let state = CopyTable.session.index(of: "state")
}

extension CopyRecord {
  /// Tells whether the record has the link of a change after a point that took content out of a row.
  func isErased(after change: Int) -> Bool {
    guard let columns = kind.linkColumns, let link, link.change > change else { return false }
    let operation = int(at: columns.operation)
    return operation == Chain.Operation.erase.rawValue
      || operation == Chain.Operation.eraseEntry.rawValue
  }
}
