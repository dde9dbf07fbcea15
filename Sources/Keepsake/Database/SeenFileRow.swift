#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A row of `seen_file` whose file can be read on at a bookmark, with what its import, source and session were then.
struct SeenFileRow {
  let session: Int64
  let sessionID: UUID
  /// The number of entries that the session has.
  let entries: Int
  /// The number of changes that the session has.
  let changes: Int
  let `import`: Int64
  let source: Int64
  let bookmark: SourceBookmark
  /// The remarks of the import about the file's records, as JSON; nil if it made none.
  let remarks: String?
  /// The number of records in the source.
  let records: Int
  /// The digest of the records up to the first prompt.
  let beginning: SHA256Digest
  /// The digest of all records.
  let identity: SHA256Digest
}
