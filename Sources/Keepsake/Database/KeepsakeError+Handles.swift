#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension KeepsakeError {
  /// The error for a session that is not there under a number: it was deleted, or a sync has written it anew under another number.
  static func noSession(_ id: UUID, at number: Int64, in db: Tables) throws -> KeepsakeError {
    guard let now = try db.sessions.number(of: id), now != number else { return .noSession(id) }
    return KeepsakeError(
      .conflict,
      "Session \(id) is not what it was when you asked for it: it, or the session that it was forked from, went on in another store, too. Ask the store for it again.",
      object: id.uuidString)
  }
}
