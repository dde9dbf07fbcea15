#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Reads whole sessions as records that mean the same in any store, for ``Store/restoring(_:identity:)``.
///
/// Left out are derived values (see ``CopyTable``), the mark of the last saved list, and drafts, which are no entries yet. A
/// fork comes with the sessions with which it shares entries, the root first. Such a session, if it was not asked for, is
/// marked as being there for its forks only, like a deleted session, and comes without title, tags, metadata and turns.
package struct SessionCopy: Sendable {
  /// The content of a copy beside its records, and what the copy leaves out.
  package struct Summary: Sendable {
    /// The artifacts of the copy, in the order of their ids.
    package var artifacts: [Artifact] = []
    package var drafts = 0
    /// The number of sessions that are included because a fork needs them.
    package var companions = 0
  }

  private let sessions: [Session]

  package init(of sessions: [Session]) { self.sessions = sessions }

  /// Reads all sessions in one snapshot, an entry at a time.
  ///
  /// - Parameters:
  ///   - begin: A closure that gets the content of the copy before the first record.
  ///   - take: A closure that gets each record.
  /// - Returns: The artifacts of the copy, and what was left out.
  /// - Throws: A ``KeepsakeError`` if the sessions can't be read, or an error of the closures.
  package func read(
    begin: (CopyManifest, Summary) throws -> Void, take: (CopyRecord) throws -> Void
  ) throws -> Summary {
    guard let handle = sessions.first?.handle else {
      throw KeepsakeError(.invalid, "Can't copy no sessions. Name one at least.")
    }
    guard sessions.allSatisfy({ $0.handle.store === handle.store }) else {
      throw KeepsakeError(
        .invalid,
        "Can't copy sessions of several stores into one file. Copy each store's by itself.")
    }
    return try handle.read { db in
      let members = try members(in: db)
      var summary = Summary()
      var manifest = CopyManifest()
      var recordings: [Int64] = []
      var artifacts: Set<Int64> = []
      for member in members {
        manifest.sessions.append(member.head)
        if !member.isAsked, !member.wasPurged { summary.companions += 1 }
        if member.isAsked { summary.drafts += try db.copies.drafts(of: member.number) }
        try db.copies.collect(of: member.number, &recordings, artifacts: &artifacts)
      }
      recordings.sort()
      manifest.recordings = Int64(recordings.count)
      summary.artifacts = try artifacts.map {
        try handle.artifacts.artifact(number: $0, handle: handle, in: db)
      }.sorted { $0.id < $1.id }
      for artifact in summary.artifacts { manifest.artifacts[artifact.id] = artifact.size }
      try begin(manifest, summary)
      for member in members {
        try Task.checkCancellation()
        try take(member.record)
        try CopyReader(
          of: member.number, member.head.session, recordings: recordings, in: db
        ).read(withTurns: member.isAsked, take)
      }
      return summary
    }
  }

  /// Returns the sessions and those with which they share entries, in the order of their creation, so that parents come first.
  private func members(in db: Tables) throws -> [Member] {
    var asked: Set<Int64> = []
    var all: Set<Int64> = []
    for session in sessions {
      _ = try SessionRow.entries(of: session, in: db)
      asked.insert(session.number)
      for piece in session.lineage.pieces { all.insert(piece.session) }
    }
    return try all.sorted().map { try Member($0, isAsked: asked.contains($0), in: db) }
  }
}

/// A session of a copy, with its head and its record.
private struct Member {
  let number: Int64
  let isAsked: Bool
  let wasPurged: Bool
  let head: CopyManifest.Head
  let record: CopyRecord

  init(_ number: Int64, isAsked: Bool, in db: Tables) throws {
    self.number = number
    self.isAsked = isAsked
    guard var record = try db.copies.session(number) else {
      throw KeepsakeError(.damaged, "A fork's parent is not there.", remedy: .verify)
    }
    wasPurged = record.integer("state") == 2
    if !isAsked {
      record["state"] = .integer(2)
      for name in ["title", "origin", "foreignID", "tags", "metadata"] { record[name] = .null }
    }
    guard let head = CopyManifest.Head(record) else {
      throw KeepsakeError.lostIdentifier(ofSession: number)
    }
    guard record.integer("state") != 1 else { throw KeepsakeError.noSession(head.session) }
    self.head = head
    self.record = record
  }
}
