#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Decides for each session of a copy whether it is made, or stays because the store has it.
struct RestorePlan: Sendable {
  /// The numbers of the sessions that the store has with the copy's changes, and perhaps more.
  private(set) var known: [UUID: Int64] = [:]
  private(set) var new: Set<UUID> = []
  /// The known sessions that are purged here and in the copy; entries that their forks don't show may be gone.
  private(set) var purged: Set<UUID> = []

  init(_ manifest: CopyManifest, in db: Tables) throws {
    for head in manifest.sessions {
      guard known[head.session] == nil, !new.contains(head.session) else {
        throw CopyFault("session \(head.session) is in it twice")
      }
      guard let (number, state, changes) = try db.sessions.standing(of: head.session.bytes) else {
        new.insert(head.session)
        continue
      }
      guard state == 0 || state == 2 && head.isPurged else {
        throw Self.inTheWay(head.session, isDeleted: state == 2)
      }
      if state == 2 { purged.insert(head.session) }
      let stored =
        changes < head.changes
        ? nil : try ChainHistory(of: number, in: db).head(after: head.changes)
      guard let stored, stored.bytes == head.head else {
        throw Self.conflict(head.session, isLonger: changes < head.changes)
      }
      known[head.session] = number
    }
  }

  static func inTheWay(_ session: UUID, isDeleted: Bool) -> KeepsakeError {
    KeepsakeError(
      .conflict,
      isDeleted
        ? "Can't take over session \(session): it was deleted here, or came along with a fork, and its forks still share its entries. Delete the forks and sweep, or take it into another store."
        : "Can't take over session \(session): it is being imported just now. Try again when that is done.",
      object: session.uuidString)
  }

  private static func conflict(_ session: UUID, isLonger: Bool) -> KeepsakeError {
    KeepsakeError(
      .conflict,
      isLonger
        ? "Can't take over session \(session): the store has it, with fewer changes than the file. Delete it here first, or take the file into another store."
        : "Can't take over session \(session): the store has it with another history. Take the file into another store.",
      object: session.uuidString)
  }
}
