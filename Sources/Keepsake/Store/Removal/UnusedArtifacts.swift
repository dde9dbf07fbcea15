import KeepsakeFiles

/// The artifacts that may have lost their last use in a transaction, and those whose rows it removed.
///
/// The files are removed after the transaction (`StoreHandle.removeFiles`), so that a rollback loses nothing. Until then,
/// the table `removed_artifact` lists them.
struct UnusedArtifacts: Sendable {
  private var candidates: Set<Int64> = []
  /// The artifacts that were removed from the database, whose files and copies still exist.
  private(set) var digests: [SHA256Digest] = []

  mutating func add(_ artifact: Int64?) {
    if let artifact { candidates.insert(artifact) }
  }

  mutating func append(_ other: UnusedArtifacts) {
    candidates.formUnion(other.candidates)
    digests += other.digests
  }

  /// Removes the rows of artifacts that nothing uses any more.
  mutating func removeRows(countingIn removed: inout Removal, in db: Tables) throws {
    if !candidates.isEmpty { try Trace.log.mark(in: db) }
    for number in candidates.sorted() {
      guard let (digest, size) = try db.artifacts.unused(number) else { continue }
      removed.artifacts += 1
      removed.artifactBytes.addBytes(max(0, size))
      digests.append(digest)
      try db.artifacts.delete(number, digest)
    }
    candidates = []
  }

  /// Removes the rows of artifacts that are attached nowhere, even if something was made from them.
  ///
  /// The `inputs` of what was made still name them, and are no reason to keep erased bytes.
  /// - Parameters:
  ///   - removed: Counts what was removed.
  ///   - erased: The artifacts that were erased; nil for all of these.
  ///   - db: The tables.
  mutating func removeErased(
    countingIn removed: inout Removal, among erased: Set<SHA256Digest>? = nil, in db: Tables
  ) throws {
    for number in candidates.sorted() {
      if let erased, let digest = try db.artifacts.digest(of: number), !erased.contains(digest) {
        continue
      }
      try db.artifacts.forgetProducts(ofUnattached: number)
    }
    try removeRows(countingIn: &removed, in: db)
  }
}
