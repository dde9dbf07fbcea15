import KeepsakeFiles
import KeepsakeSQLite

extension SourceTable {
  /// Finds a source that an open store imports.
  /// - Returns: The session into which it is imported, if there is one, and the format and the digest of the file; nil if
  ///   the open store does not import the source.
  func unfinished(_ source: Int64, of owner: [UInt8]) throws -> (
    target: Int64?, format: String, digest: SHA256Digest?
  )? {
    let find = try db.prepare(
      "SELECT target, format, digest FROM source WHERE number = ? AND owner = ?")
    find.bind(source)
    find.bind(owner)
    guard try find.step() else { return nil }
    return (find.optionalInt64(), find.text(), find.digest())
  }
}
