#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

extension Store {
  /// Deletes a session: its entries, drafts, attachments and search rows, and the artifacts that nobody else uses.
  ///
  /// The session is gone for everybody, and durably, when this begins to write. The entries that forks share with it stay
  /// until the last fork goes. A large session is removed in several transactions, so that others can write meanwhile; should the
  /// process end in between, whoever opens the store for writing next goes on. At the end nothing of it is in any file
  /// of the store, unless ``Removal/isComplete`` says otherwise. The space is used again, or given back
  /// by ``compact(progress:)``.
  @concurrent @discardableResult
  public func deleteSession(_ id: UUID) async throws -> Removal {
    try await handle.deleteEverywhere([id])[id] ?? Removal()
  }

  /// Deletes sessions as ``deleteSession(_:)`` does: all of them, or, where one is not there, none.
  ///
  /// Costs less than deleting one after the other, because the search index and the log are cleaned once for all.
  /// - Returns: What was removed with each session. An artifact that only some of them used is counted with one of these.
  @concurrent @discardableResult
  public func deleteSessions(_ ids: some Sequence<UUID> & Sendable) async throws -> [UUID: Removal]
  {
    try await handle.deleteEverywhere(Set(ids))
  }

  /// Deletes sessions as ``deleteSessions(_:)`` does, and returns only when all of their words are out of the search
  /// index, however large that is.
  @concurrent
  package func deleteCompletely(_ ids: some Sequence<UUID> & Sendable) async throws -> [UUID:
    Removal]
  {
    try await handle.deleteEverywhere(Set(ids), indexPieces: .max)
  }

  /// Makes a session one that is not listed and can't be opened, and forgets what is said of it.
  static func hide(_ id: UUID, in change: Change) throws -> Int64 {
    guard let number = try change.db.sessions.hide(id) else { throw KeepsakeError.noSession(id) }
    try change.db.clearing.mark(number)
    try change.log(.delete, [("session", .string(id.text))])
    change.publish(.deleted(session: id))
    return number
  }
}

extension StoreHandle {
  /// The number of pieces of the search index that are rewritten before deleting returns: 8 MiB, or the texts of some ten
  /// thousand entries. The rest is rewritten when nobody writes: deleting a session is to take no longer than its own rows
  /// do.
  static let indexPieces = 8

  /// Deletes sessions as ``Store/deleteSessions(_:)`` does, in a shared store at the hub first.
  func deleteEverywhere(_ ids: Set<UUID>, indexPieces: Int = indexPieces) async throws -> [UUID:
    Removal]
  {
    try requireHub()
    guard let sharing = store.sharing else {
      return try await delete(ids, indexPieces: indexPieces)
    }
    return try await sharing.delete(ids, indexPieces: indexPieces)
  }

  /// Deletes sessions in this store, and rewrites a number of pieces of the search index.
  func delete(_ ids: Set<UUID>, indexPieces: Int = indexPieces) async throws -> [UUID: Removal] {
    guard !ids.isEmpty else { return [:] }
    var deleted = try await leavingRows { try await deleteRows(of: ids) }
    let isComplete = try await removeTraces(
      files: deleted.files, indexPieces: indexPieces)
    for id in ids { deleted.removed[id]?.isComplete = isComplete }
    return deleted.removed
  }

  private func deleteRows(of ids: Set<UUID>) async throws
    -> (removed: [UUID: Removal], files: [SHA256Digest])
  {
    let (sessions, first) = try await removing { limit, change in
      var sessions: [(id: UUID, number: Int64)] = []
      for id in ids {
        try change.db.writeDownErasures(before: id)
        sessions.append((id, try Store.hide(id, in: change)))
      }
      // Forks go before the sessions that they were forked from, so that each of those is looked at only once.
      sessions.sort { $0.number > $1.number }
      return (sessions, try RemovalStep(.session(sessions[0].number), limit: limit, in: change))
    }
    var removed: [UUID: Removal] = [:]
    var files: [SHA256Digest] = []
    for (index, session) in sessions.enumerated() {
      let rows = try await finish(
        index == 0 ? first : RemovalStep(next: [.session(session.number)]))
      removed[session.id] = rows.removed
      files += rows.files
    }
    return (removed, files)
  }
}
