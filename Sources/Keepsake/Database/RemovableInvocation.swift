import KeepsakeFiles
import KeepsakeSQLite

/// A run whose row goes.
struct RemovableInvocation {
  let number: Int64
  let operation: Int
  let change: Int
  let digest: SHA256Digest?
  let recorded: Int
  /// The number of bytes of its arguments and its output.
  let size: Int64
}
