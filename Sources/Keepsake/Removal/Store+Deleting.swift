#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Files
import SQLite

extension Store {
  /// Deletes a session: its entries, drafts, attachments and search rows, and the artifacts that nobody else uses.
  ///
  /// It is gone for everybody when this begins to write, and durably. What forks share with it stays until the last of
  /// them goes. A large session is removed in several transactions, so that others can write meanwhile; should the
  /// process end in between, the next sweep goes on. The space is used again; ``compact()`` gives it back.
  @concurrent @discardableResult
  public func deleteSession(_ id: UUID) async throws -> Removal {
    let core = core
    let first = try await core.write { change in
      let number = try Store.hide(id, in: change)
      try change.log(.delete, [("session", .string(id.uuidString.lowercased()))])
      change.publish(.deleted(session: id))
      return try RemovalStep(number, in: change)
    }
    return try await core.finish(first)
  }

  /// Makes a session one that is not listed and can't be opened, and forgets what is said of it.
  private static func hide(_ id: UUID, in change: Change) throws -> Int64 {
    let update = try change.db.prepare(
      """
      UPDATE session SET state = 2, title = NULL, preview = NULL, model = NULL, origin = NULL,
        foreign_id = NULL WHERE id = ? AND state < 2 RETURNING number
      """)
    update.bind(id.bytes, at: 1)
    guard try update.step() else { throw KeepsakeError.noSession(id) }
    return update.int64(0)
  }
}

/// What one transaction of a removal did, and what is left to do.
struct RemovalStep: Sendable {
  /// So many rows go in a transaction; about a tenth of a second.
  static let limit = 8192

  var removed: Removal
  var unused: UnusedArtifacts
  var next: Int64?

  init(removed: Removal, unused: UnusedArtifacts, next: Int64?) {
    self.removed = removed
    self.unused = unused
    self.next = next
  }

  init(_ number: Int64, limit: Int = Self.limit, in change: Change) throws {
    var removal = SessionRemoval(number, limit: limit, in: change)
    next = try removal.step()
    removed = removal.removed
    unused = removal.unused
  }
}

extension StoreCore {
  /// Goes on with a removal to its end, whatever happens to the caller's task.
  func finish(_ first: RemovalStep) async throws -> Removal {
    var removed = first.removed
    var unused = first.unused
    var next = first.next
    while let number = next {
      let step = try await writeUncancelled { change in try RemovalStep(number, in: change) }
      removed.add(step.removed)
      unused.append(step.unused)
      next = step.next
    }
    if try await !removeFiles(of: unused.digests) { removed.isComplete = false }
    return removed
  }
}
