#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Checks what the record of a single row does not tell: the digests of revisions and of erased entries, and large texts.
struct CommitCheck {
  let session: Session
  let db: Tables

  /// Checks the entries that a commit wrote, after all of its rows are written.
  /// - Parameters:
  ///   - commit: The commit.
  ///   - checked: The positions of entries of which only revisions are left to be checked.
  func run(_ commit: SessionCommit, besides checked: Set<Int>) throws {
    let positions = commit.records.compactMap { record -> Int? in
      switch record.kind {
      case .entry:
        record.int(at: EntryIndexes.position).flatMap { checked.contains($0) ? nil : $0 }
      case .revision: record.int("position")
      default: nil
      }
    }
    for position in Set(positions).sorted() { try check(position, isOfPurged: commit.isOfPurged) }
    for record in commit.records where record.kind == .attachment {
      if let position = record.int("position"),
        session.lineage.id(of: position).session == session.number
      {
        try requireEntry(position)
      }
    }
  }

  private func requireEntry(_ position: Int) throws {
    guard try db.entries.exists(session.lineage.id(of: position)) else {
      throw CopyFault("an attachment of session \(session.id) is of an entry that is not there")
    }
  }

  private func check(_ position: Int, isOfPurged: Bool) throws {
    let id = session.lineage.id(of: position)
    var name: String { "entry \(position) of session \(session.id)" }
    let entry = try db.checks.entries(id...id)
    guard try entry.next() else { throw CopyFault("\(name) is not there, and has a revision") }
    var revised: Int64?
    var count = 0
    let revision = try db.checks.revisions(id...id)
    while try revision.next() {
      count += 1
      guard revision.number == count, isWhole(revision, of: entry, revised: revised),
        try isKept(revision, of: entry), try isReplaced(revision, of: entry)
      else { throw CopyFault("revision \(revision.number) of \(name) was altered") }
      revised = revision.replaced
    }
    let body =
      entry.hasBody
      ? entry.bodyDigest : try db.commits.archivedDigest(of: id, in: 0..<max(0, entry.change))
    guard let body, SessionCheck.digest(entry.columns, body, revised: revised) == entry.digest
    else {
      throw CopyFault("\(name) was altered: it does not have the digest that was recorded")
    }
    // A text that only a deleted session showed is gone where it was deleted, and the entry stays for the forks.
    guard entry.hasBody, !isOfPurged else { return }
    let texts = try entry.decodedBody().largeTexts
    if texts.isEmpty { return }
    let attached = try db.attachments.rows(of: id, in: session.number).compactMap(\.artifact)
    let names = try attached.compactMap { try db.artifacts.digest(of: $0) }.map {
      Artifact.ID($0).description
    }
    guard Set(names).isSuperset(of: texts) else {
      throw CopyFault("\(name) has a text that is no artifact of its own")
    }
  }

  /// Tells whether a revision has the digest that was recorded. The revisions of an erased entry have no content.
  private func isWhole(
    _ revision: borrowing CheckedRevisions, of entry: borrowing CheckedEntries, revised: Int64?
  ) -> Bool {
    guard revision.hasBody else { return !entry.hasBody && !revision.hasSalt }
    // The entry may have had no key yet when it had this content.
    let body = revision.bodyDigest
    return [true, false].contains {
      SessionCheck.digest(entry.columns(of: revision, hasKey: $0), body, revised: revised)
        == revision.digest
    }
  }

  /// Tells whether the link of a revision is kept: the row of its entry has a later one.
  private func isKept(_ revision: borrowing CheckedRevisions, of entry: borrowing CheckedEntries)
    throws
    -> Bool
  {
    try db.commits.hasArchived(
      revision.change, operation: revision.operation, position: entry.position,
      digest: revision.digest, of: session.number)
  }

  /// Tells whether the change that a revision names as its end is one that revised the entry.
  private func isReplaced(
    _ revision: borrowing CheckedRevisions, of entry: borrowing CheckedEntries
  ) throws
    -> Bool
  {
    let revise = Chain.Operation.revise.rawValue
    if revision.until <= revision.change { return false }
    if entry.change == revision.until { return entry.operation == revise }
    return try db.commits.hasArchived(
      revision.until, operation: revise, position: entry.position, of: session.number)
  }
}
