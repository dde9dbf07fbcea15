import KeepsakeFiles
import KeepsakeSQLite

/// An entry whose row goes.
struct RemovableEntry {
  let id: EntryID
  let operation: Int
  let change: Int
  let digest: SHA256Digest?
  /// The number of bytes of its body.
  let body: Int64
  /// The number of bytes of its revisions' bodies.
  let revisions: Int64
}
