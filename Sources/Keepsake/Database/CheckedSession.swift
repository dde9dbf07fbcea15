#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// The row of a session, as it stands in the database.
struct CheckedSession {
  let id: UUID
  let created: Int64
  let presence: SessionPresence?
  let parent: Int64?
  let forkPosition: Int
  let forkChange: Int?
  let forkHead: SHA256Digest?
  let entries: Int
  let turns: Int
  let attachments: Int
  let bytes: Int64
  let changes: Int
  let head: SHA256Digest
  let cover: Int64?
}
