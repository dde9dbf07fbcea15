#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// The statements over the tables of what waits to be cleared: `removing`, `restoring` and `removed_artifact`.
struct ClearingTable {
  let db: Connection

  /// The owner of a source that is being removed: no open store has it as its id.
  static let nobody = [UInt8](repeating: 0, count: 16)
}

extension Tables {
  var clearing: ClearingTable { ClearingTable(db: connection) }
}

// MARK: - Sessions and sources that go

extension ClearingTable {
  /// Finds the youngest source whose rows are to go; nil if there is none.
  func youngestSource() throws -> Int64? {
    let source = try db.prepare(
      "SELECT number FROM source WHERE owner = ? ORDER BY number DESC LIMIT 1")
    source.bind(Self.nobody)
    return try source.step() ? source.int64() : nil
  }

  /// Finds the youngest session whose rows are to go; nil if there is none.
  func youngestSession() throws -> Int64? {
    try db.integer("SELECT session FROM removing ORDER BY session DESC LIMIT 1")
  }

  /// Notes that rows of a session are to go.
  func mark(_ session: Int64) throws {
    let insert = try db.prepare("INSERT OR IGNORE INTO removing (session) VALUES (?)")
    insert.bind(session)
    try insert.run()
  }

  /// Notes that the rows of a session that were to go are gone.
  func unmark(_ session: Int64) throws {
    let delete = try db.prepare("DELETE FROM removing WHERE session = ?")
    delete.bind(session)
    try delete.run()
  }

  /// Finds the sessions whose rows are to go, among a deleted session and the forks of it.
  func sessions(leftOf id: UUID) throws -> [Int64] {
    // Few of the sessions are in the store at all, and few of these were deleted: this is one look at an index.
    let find = try db.prepare(
      """
      WITH RECURSIVE family (number) AS (
        SELECT number FROM session WHERE id = ? AND state >= ?
        UNION SELECT s.number FROM family JOIN session AS s ON s.parent = family.number)
      SELECT r.session FROM family CROSS JOIN removing AS r ON r.session = family.number
      """)
    find.bind(id.bytes)
    find.bind(SessionPresence.purged)
    var left: [Int64] = []
    while try find.step() { left.append(find.int64()) }
    return left
  }
}

// MARK: - Files of artifacts that go

extension ClearingTable {
  /// Lists artifacts whose rows are gone and whose files are to go.
  func removedArtifacts(atMost count: Int) throws -> [SHA256Digest] {
    let find = try db.prepare("SELECT digest FROM removed_artifact LIMIT ?")
    find.bind(count)
    var digests: [SHA256Digest] = []
    while try find.step() { if let digest = find.digest() { digests.append(digest) } }
    return digests
  }

  /// Tells whether there is an artifact whose file is to go.
  func hasRemovedArtifacts() throws -> Bool {
    try db.integer("SELECT EXISTS (SELECT 1 FROM removed_artifact)") == 1
  }

  /// Notes that the files of artifacts are gone.
  func forget(_ digests: [SHA256Digest]) throws {
    for digest in digests {
      let delete = try db.prepare("DELETE FROM removed_artifact WHERE digest = ?")
      delete.bind(digest)
      try delete.run()
    }
  }
}
