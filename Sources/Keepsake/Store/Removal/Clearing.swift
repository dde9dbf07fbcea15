#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Clears up what deleting and erasing left to be done, and what imports and restorings left that were cut short.
///
/// Marks in the database say what there is to do: `removing`, `restoring`, the owner of a `source`, `removed_artifact` and
/// `trace`. Each piece of clearing up is one bounded transaction, and its mark goes last. So clearing up may stop anywhere,
/// and whoever comes next goes on with it.
enum Clearing {
  /// Finds the session or source whose rows are to be removed next; nil when no rows are left to be removed.
  static func next(in db: Tables) throws -> RemovalStep.Target? {
    // The youngest goes first: what a file grew from, or a fork was made of, is older than the file or fork, and is
    // needed by it.
    if let source = try db.clearing.youngestSource() { return .source(source) }
    return try db.clearing.youngestSession().map { .session($0) }
  }
}

// MARK: - Unfinished imports and restorings

extension Clearing {
  /// Marks what an open store that ended was restoring or importing, so that it goes.
  static func giveUp(_ owner: [UInt8], in change: Change) throws {
    try change.db.clearing.giveUpRestoring(by: owner)
    // The files that restored sessions were imported from go with the sessions.
    for source in try change.db.clearing.sourcesWithoutImport(of: owner) {
      _ = try giveUp(source: source, of: owner, in: change)
    }
  }

  /// Marks an import that did not come to its end: its file goes, and the session that it made; what it added to another
  /// stays, as whole entries.
  /// - Parameter owner: The open store that imports it: another's may have its number by now.
  static func giveUp(source: Int64, of owner: [UInt8], in change: Change) throws
    -> [RemovalStep.Target]
  {
    guard let found = try change.db.sources.unfinished(source, of: owner) else { return [] }
    let detail = [
      ("format", JSON.string(found.format)), ("source", .string(found.digest?.hex ?? "")),
    ]
    try change.log(.abandon, detail)
    try SourceRemoval.release(source, in: change.db)
    guard let target = found.target, try change.db.sessions.hideImported(target) else {
      return [.source(source)]
    }
    try change.db.clearing.mark(target)
    return [.session(target), .source(source)]
  }

  /// Marks a restoring that did not come to its end: the sessions that it made go.
  /// - Parameter owner: The open store that restores them: another's may have their numbers by now.
  static func giveUp(restored sessions: ArraySlice<Int64>, of owner: [UInt8], in db: Tables)
    throws
  {
    for session in sessions { try db.clearing.giveUpRestoring(session, by: owner) }
  }
}
