#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Checks one session: its rows against their digests, the digests against its chain, its counters against its rows.
struct SessionCheck {
  let number: Int64
  let id: UUID
  let created: Int64
  var isPurged: Bool
  /// Tells whether the session is hidden because it is being restored.
  let isHidden: Bool
  /// Tells whether the session was deleted at the hub, and the sync that deletes it here was cut short. Its rows may be behind its chain.
  let isLeaving: Bool
  /// Tells whether a session that is being restored is complete, and is checked before it is shown.
  var isRestored = false
  let parent: Int64?
  let forkPosition: Int
  let forkChange: Int?
  let forkHead: SHA256Digest?
  let stored: (entries: Int, turns: Int, attachments: Int, bytes: Int64, changes: Int)
  let head: SHA256Digest
  let cover: Int64?
  let db: Tables

  /// The forks of the session; empty until the check of the chain has read them.
  var forks: [CheckedFork] = []
  var ledger = LinkLedger()
  var lineage: Lineage
  /// The links that the rows of entries and revisions hold, by position; they are compared with the chain once its links
  /// are in order.
  var histories: [Int: EntryHistory] = [:]
  var entries = 0
  var highestTurn = 0
  var bytes: Int64 = 0
  /// The rows of attachments and invocations, by the change that recorded each.
  var recordings: [Int: Recording] = [:]
  var listed = 0
  var erased = 0
  var indexedKeys = 0
  /// The positions of the current block whose keys are not in the index.
  var missingKeys: [Int] = []

  /// Reads a session; nil if it was deleted meanwhile.
  init?(_ number: Int64, in db: Tables) throws {
    guard let row = try db.checks.session(number) else { return nil }
    created = row.created
    isPurged = row.presence == .purged
    isLeaving = try row.presence == .purged && db.hubSessions.row(row.id)?.isRemoved ?? false
    isHidden = row.presence == .restoring
    parent = row.parent
    forkPosition = row.forkPosition
    forkChange = row.forkChange
    forkHead = row.forkHead
    stored = (row.entries, row.turns, row.attachments, row.bytes, row.changes)
    cover = row.cover
    self.number = number
    id = row.id
    head = row.head
    self.db = db
    lineage = Lineage(rootOf: number)
  }

  var name: String { "session \(id)" }

  /// Names the entry at a position for a person.
  func name(_ position: Int) -> String { "entry \(position) of session \(id)" }

  mutating func run(kept: [VerifyReport.Head], report: inout VerifyReport) throws {
    if isHidden, !isRestored {
      return report.harmless(
        name, "It is being restored from a file, or that was cut short; nobody sees it.",
        remedy:
          "Nothing to do: it is shown when all of it is there, or goes when the store is next written to."
      )
    }
    report.counts.sessions += 1
    report.heads.append(VerifyReport.Head(session: id, changes: stored.changes, head: head.hex))
    do { lineage = try Lineage(of: number, in: db) } catch let error as KeepsakeError {
      report.damaged(name, error.failure)
    }
    try checkEntries(&report)
    try checkIDs(&report)
    try checkIndexedKeys(&report)
    try checkAttachments(&report)
    try checkInvocations(&report)
    try checkImports(&report)
    try readArchive(&report)
    try checkChain(kept: kept, &report)
    if !isPurged { try checkCounters(&report) }
    if erased > 0 {
      report.counts.erased += erased
      report.harmless(
        name, "The content of \(erased) of its rows was erased; the chain holds their place.",
        remedy: "Nothing to do: their content was meant to go.")
    }
  }

  /// Notes the link that a row holds; reports a digest that can't be one.
  mutating func note(
    _ origin: LinkLedger.Origin, change: Int, operation: Int, position: Int, digest: SHA256Digest?,
    of object: String, _ report: inout VerifyReport
  ) {
    guard let digest else {
      return report.damaged(object, "The digest of its change \(change) is damaged.")
    }
    ledger.add(
      .init(
        number: change, operation: operation, position: position, digest: digest, origin: origin))
  }

  /// Tells whether an entry that something refers to is the one that this session shows at the position.
  func isOwn(_ entry: EntryID) -> Bool {
    entry == lineage.id(of: entry.position)
  }

  /// Tells whether a tool call that something points to is there. A purged session passes: of it only what its forks show
  /// is kept, and the call may be gone.
  func hasCall(_ call: EntryID, ordinal: Int?) throws -> Bool {
    if isPurged { return true }
    return try db.checks.hasCall(call, ordinal: ordinal)
  }
}
