/// An error that says why a database cannot be used with, or brought to, the schema of this build.
package enum MigrationError: Error, Sendable, Hashable {
  /// The file belongs to another program, or is no database at all.
  case notAStore(path: String)
  /// The file was written by a newer version, and has more schema steps than this build knows.
  case newer(found: Int, known: Int, path: String)
  /// The script of an applied step differs from the script that this build has under the same number.
  case changed(name: String, path: String)
  /// The record of the applied steps contradicts itself.
  case damaged(reason: String, path: String)
  /// A step would leave rows that refer to rows that aren't there; it was undone.
  case brokenReferences(name: String, table: String, path: String)
  /// A step failed; it was undone as a whole.
  case failed(name: String, reason: SQLiteError)
}

extension MigrationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAStore(let path):
      "Can't open the store at '\(path)': it is not a store. Check the path."
    case .newer(let found, let known, let path):
      "Can't open the store at '\(path)': it was written by a newer version "
        + "(schema \(found); this build knows \(known)). Upgrade keepsake."
    case .changed(let name, let path):
      "Can't open the store at '\(path)': its schema step '\(name)' is not the one of this build. "
        + "Use the build that made the store, or restore a backup."
    case .damaged(let reason, let path):
      "Can't open the store at '\(path)': \(reason). Keep it as it is, and restore a backup."
    case .brokenReferences(let name, let table, let path):
      "Can't upgrade the store at '\(path)': after the schema step '\(name)' rows of '\(table)' "
        + "would refer to rows that don't exist. Nothing was changed; check the store."
    case .failed(let name, let reason):
      "Can't apply the schema step '\(name)'; nothing was changed. \(reason)"
    }
  }
}
