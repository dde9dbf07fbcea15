import KeepsakeFiles
import KeepsakeSQLite

/// An import into a session, as an audit tells it.
struct AuditedImport {
  /// The positions of its entries.
  let positions: Range<Int>
  /// The number of the change that recorded it.
  let recorded: Int
  /// The name of the file.
  let file: String?
  let digest: SHA256Digest?
}
