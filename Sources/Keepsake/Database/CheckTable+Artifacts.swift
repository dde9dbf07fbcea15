import KeepsakeFiles
import KeepsakeSQLite

extension CheckTable {
  /// Prepares the reading of the artifacts after a number.
  func artifacts(after number: Int64, atMost count: Int) throws -> CheckedArtifacts {
    try CheckedArtifacts(after: number, atMost: count, in: db)
  }

  /// Hashes and counts the bytes of an artifact that stand in a row; nil if none do.
  func bytes(of artifact: Int64) throws -> (digest: SHA256Digest, count: Int)? {
    let find = try db.prepare("SELECT bytes FROM blob WHERE number = ?")
    find.bind(artifact)
    guard try find.step() else { return nil }
    return (SHA256.digest(of: find.span(0)), find.count(0))
  }
}
