#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// A session as an audit tells it.
struct AuditedSession {
  let id: UUID
  let title: String?
  /// Tells whether the session can be opened.
  let isShown: Bool
  /// Tells whether the session came from a foreign file.
  let isForeign: Bool
  let entries: Int
  let changes: Int
  let head: SHA256Digest
}
