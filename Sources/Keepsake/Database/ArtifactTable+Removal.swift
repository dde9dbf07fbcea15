import KeepsakeFiles
import KeepsakeSQLite

extension ArtifactTable {
  /// Tells whether an artifact has a row.
  func has(_ digest: SHA256Digest) throws -> Bool {
    let named = try db.prepare("SELECT 1 FROM artifact WHERE digest = ?")
    named.bind(digest)
    return try named.step()
  }

  /// Reads the digest and the size of an artifact that nothing uses; nil for any other artifact.
  func unused(_ number: Int64) throws -> (digest: SHA256Digest, size: Int64)? {
    let find = try db.prepare(
      """
      SELECT digest, size FROM artifact WHERE number = ?1
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = ?1)
        AND NOT EXISTS (SELECT 1 FROM derivation WHERE artifact = ?1)
        AND NOT EXISTS (SELECT 1 FROM source_artifact WHERE artifact = ?1)
      """)
    find.bind(number)
    guard try find.step(), let digest = find.digest() else { return nil }
    return (digest, find.int64())
  }

  /// Removes the rows of an artifact, and notes that its file is to go.
  func delete(_ number: Int64, _ digest: SHA256Digest) throws {
    for sql: StaticString in [
      "DELETE FROM blob WHERE number = ?", "DELETE FROM artifact WHERE number = ?",
    ] {
      let delete = try db.prepare(sql)
      delete.bind(number)
      try delete.run()
    }
    let note = try db.prepare("INSERT OR IGNORE INTO removed_artifact (digest) VALUES (?)")
    note.bind(digest)
    try note.run()
  }

  /// Forgets what was made from an artifact, if the artifact is attached nowhere.
  func forgetProducts(ofUnattached number: Int64) throws {
    let delete = try db.prepare(
      """
      DELETE FROM derivation WHERE artifact = ?1
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = ?1)
      """)
    delete.bind(number)
    try delete.run()
  }
}
