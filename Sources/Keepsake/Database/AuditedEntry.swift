#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// An entry as an audit tells it.
struct AuditedEntry {
  let id: UUID?
  let kind: Entry.Kind
  let lane: String?
  let digest: SHA256Digest?
}
