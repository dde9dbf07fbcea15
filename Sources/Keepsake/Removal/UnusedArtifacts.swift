import KeepsakeFiles
import KeepsakeSQLite

/// The artifacts that may have lost their last use in a transaction, and those whose rows it removed.
///
/// The files are removed after the transaction (`StoreCore.removeFiles`), so that a rollback loses nothing. Until then,
/// the table `removed_artifact` lists them.
struct UnusedArtifacts: Sendable {
  private var candidates: Set<Int64> = []
  /// The artifacts that were removed from the database, whose files and copies still exist.
  private(set) var digests: [SHA256Digest] = []

  mutating func add(_ artifact: Int64?) {
    if let artifact { candidates.insert(artifact) }
  }

  mutating func append(_ other: UnusedArtifacts) { digests += other.digests }

  /// Notes the artifacts that an attachment was made from, which stay as long as the attachment.
  mutating func add(inputsOf attachment: Int64, in db: Tables) throws {
    let find = try db.prepare("SELECT artifact FROM derivation WHERE attachment = ?")
    find.bind(attachment)
    while try find.step() { add(find.int64()) }
  }

  /// Removes the rows of artifacts that nothing uses any more.
  mutating func removeRows(countingIn removed: inout Removal, in db: Tables) throws {
    if !candidates.isEmpty { try Trace.log.mark(in: db) }
    for number in candidates.sorted() {
      let find = try db.prepare(
        """
        SELECT digest, size FROM artifact WHERE number = ?1
          AND NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = ?1)
          AND NOT EXISTS (SELECT 1 FROM derivation WHERE artifact = ?1)
          AND NOT EXISTS (SELECT 1 FROM source_artifact WHERE artifact = ?1)
        """)
      find.bind(number)
      guard try find.step(), let digest = find.digest() else { continue }
      removed.artifacts += 1
      removed.artifactBytes.addBytes(max(0, find.int64()))
      digests.append(digest)
      find.reset()
      try Self.delete("DELETE FROM blob WHERE number = ?", number, in: db)
      try Self.delete("DELETE FROM artifact WHERE number = ?", number, in: db)
      let note = try db.prepare("INSERT OR IGNORE INTO removed_artifact (digest) VALUES (?)")
      note.bind(digest)
      try note.run()
    }
    candidates = []
  }

  /// Removes the rows of artifacts that are attached nowhere, even if something was made from them.
  ///
  /// The `inputs` of what was made still name them, and are no reason to keep erased bytes.
  mutating func removeErased(countingIn removed: inout Removal, in db: Tables) throws {
    for number in candidates.sorted() {
      let delete = try db.prepare(
        """
        DELETE FROM derivation WHERE artifact = ?1
          AND NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = ?1)
        """)
      delete.bind(number)
      try delete.run()
    }
    try removeRows(countingIn: &removed, in: db)
  }

  private static func delete(_ sql: StaticString, _ number: Int64, in db: Tables) throws {
    let delete = try db.prepare(sql)
    delete.bind(number)
    try delete.run()
  }
}
