import KeepsakeFiles
import KeepsakeSQLite

/// An attachment whose row goes.
struct RemovableAttachment {
  let number: Int64
  let artifact: Int64?
  let operation: Int
  let change: Int
  let entry: EntryID?
  let digest: SHA256Digest?
  /// The size of the artifact.
  let size: Int64
  /// Tells whether readers see it as an attachment, and not as a text of its entry.
  let isListed: Bool
  let recorded: Int
  /// Tells whether the bytes of the artifact stand in a row, and not in a file.
  let isInRow: Bool
}
