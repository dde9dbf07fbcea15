#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Removes what a deleted session held, a bounded piece at a time, and leaves what its forks show.
///
/// A session with forks stays as *purged*: it is not listed and can't be opened, and has no title, turns, drafts and tags.
/// The rows that its forks show stay. The links of all other rows go to `change`, where they are digests alone: so the
/// session's chain still verifies, and the forks can show where they came from.
struct SessionRemoval {
  let number: Int64
  let change: Change
  var removed = Removal()
  var unused = UnusedArtifacts()
  /// The artifacts of removed attachments that the session's chain calls erased. An erased artifact goes, even if something was made from it.
  var erased: Set<SHA256Digest> = []

  var db: Tables { change.db }
  var room: RemovalRoom
  var freed: Int64 = 0
  var isShared = false
  /// Tells whether the session comes again at once, so that its artifacts stay, and the log says nothing.
  let isReplacing: Bool
  /// The first position that no fork shows.
  private var end = 0

  init(_ number: Int64, room: RemovalRoom, isReplacing: Bool = false, in change: Change) {
    self.number = number
    self.isReplacing = isReplacing
    self.room = room
    self.change = change
  }

  var firstUnshared: Int64 { EntryID.end(of: number, after: end) }

  /// Removes rows, as many as there is room for, and with the last of them the mark in `removing`.
  /// - Returns: The targets of the next steps: this session while there is more of it; then the files that it was imported
  ///   from, and its parent, if that was deleted and is needed less now.
  mutating func step() throws -> [RemovalStep.Target] {
    guard let session = try findShare() else {
      try db.clearing.unmark(number)
      return []
    }
    // Entries come first: taking them out of the search index needs what is attached to them.
    try removeEntries()
    if room.isLeft { try removeAttachments() }
    if room.isLeft { try removeInvocations() }
    if !isReplacing { try unused.removeErased(countingIn: &removed, among: erased, in: db) }
    if isShared { try db.sessions.subtract(bytes: freed, from: number) }
    for rows in [OwnRows.draftPieces, .drafts, .turns] where room.isLeft { try remove(rows) }
    if room.isLeft, !isShared { try remove(.links) }
    guard room.isLeft else { return [.session(number)] }
    try db.clearing.removeFewRows(of: number)
    let reach = isShared ? try db.sessions.settle(number, end: end) : 0
    var next: [RemovalStep.Target] = []
    if session.isOrphan, let parent = session.parent,
      try isNeededLess(parent, by: session, reach: reach)
    {
      try db.clearing.mark(parent)
      // The hub may have more of the parent now than its forks need.
      if !isReplacing, try db.joined.way() != nil, let id = try db.sessions.id(of: parent) {
        try db.unsent.list(removal: id)
      }
      next.append(.session(parent))
    }
    try db.clearing.unmark(number)
    if !isShared { next += try removeSession() }
    return next
  }

  /// Reads which entries the forks of the session show; nil when the session is not one that goes.
  ///
  /// The `reach` of a fork says how far the fork, and any fork of it, shows this session, also where the fork was deleted.
  /// So the forks of forks need not be read.
  private mutating func findShare() throws -> RemovedSession? {
    guard let found = try db.sessions.removed(number) else { return nil }
    isShared = found.hasForks
    end = found.end
    guard (0...EntryID.maximumPosition + 1).contains(end) else {
      throw KeepsakeError(
        .damaged,
        "Session number \(number) was forked at a position that no session has.", remedy: .verify
      )
    }
    return found
  }

  /// Tells whether a parent has something that only this fork needed until now.
  private func isNeededLess(_ parent: Int64, by fork: RemovedSession, reach: Int) throws -> Bool {
    guard reach < fork.reach || !isShared else { return false }
    // Another fork of the parent that reaches as far, and shows as many changes, needs all that this one needed.
    return try !db.sessions.hasFork(
      of: parent, besides: number, reach: fork.reach, change: fork.forkChange)
  }

  /// Keeps the link of a row that goes, where the chain is still needed.
  func archive(operation: Int, change: Int, position: Int, digest: SHA256Digest?) throws {
    guard isShared else { return }
    try db.changes.archive(
      change, operation: operation, position: position, digest: digest, of: number)
  }
}

// MARK: - The rest

extension SessionRemoval {
  private mutating func remove(_ rows: OwnRows) throws {
    try db.clearing.remove(rows, of: number) { bytes in
      room.take(bytes: bytes)
      return room.isLeft
    }
  }

  /// Removes the session's own row; gives the files that it was imported from, which go now.
  private mutating func removeSession() throws -> [RemovalStep.Target] {
    try SearchIndex.remove(session: number, in: db)
    let sources = try SourceRemoval.release(sourcesOf: number, in: db)
    if let id = try db.sessions.delete(number), !isReplacing {
      try change.log(.purge, [("session", .string(id.text))])
    }
    removed.sessions += 1
    return sources.map { .source($0) }
  }
}
