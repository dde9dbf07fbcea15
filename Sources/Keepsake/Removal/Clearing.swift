#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Clears up what deleting and erasing left to be done, and what imports and restorings left that were cut short.
///
/// Marks in the database say what there is to do: `removing`, `restoring`, the owner of a `source`, `removed_artifact` and
/// `trace`. Each piece of clearing up is one bounded transaction, and its mark goes last. So clearing up may stop anywhere,
/// and whoever comes next goes on with it.
enum Clearing {
  /// The owner of a source that is being removed: no open store has it as its id.
  static let nobody = [UInt8](repeating: 0, count: 16)

  /// Finds the session or source whose rows are to be removed next; nil when no rows are left to be removed.
  static func next(in db: Tables) throws -> RemovalStep.Target? {
    // The youngest goes first: what a file grew from, or a fork was made of, is older than the file or fork, and is
    // needed by it.
    let source = try db.prepare(
      "SELECT number FROM source WHERE owner = ? ORDER BY number DESC LIMIT 1")
    source.bind(nobody)
    if try source.step() { return .source(source.int64()) }
    let session = try db.integer("SELECT session FROM removing ORDER BY session DESC LIMIT 1")
    return session.map { .session($0) }
  }

  /// Lists artifacts whose files are to go, at most as many as one step removes.
  static func removedArtifacts(atMost count: Int, in db: Tables) throws -> [SHA256Digest] {
    let find = try db.prepare("SELECT digest FROM removed_artifact LIMIT ?")
    find.bind(count)
    var digests: [SHA256Digest] = []
    while try find.step() { if let digest = find.digest() { digests.append(digest) } }
    return digests
  }

  static func hasRemovedArtifacts(in db: Tables) throws -> Bool {
    try db.integer("SELECT EXISTS (SELECT 1 FROM removed_artifact)") == 1
  }

  /// Notes that the files of artifacts are gone.
  static func forget(_ digests: [SHA256Digest], in db: Tables) throws {
    for digest in digests {
      let delete = try db.prepare("DELETE FROM removed_artifact WHERE digest = ?")
      delete.bind(digest)
      try delete.run()
    }
  }

  /// Notes that rows of a session are to go.
  static func mark(_ session: Int64, in db: Tables) throws {
    let insert = try db.prepare("INSERT OR IGNORE INTO removing (session) VALUES (?)")
    insert.bind(session)
    try insert.run()
  }

  static func unmark(_ session: Int64, in db: Tables) throws {
    let delete = try db.prepare("DELETE FROM removing WHERE session = ?")
    delete.bind(session)
    try delete.run()
  }
}

// MARK: - What did not come to its end

extension Clearing {
  /// The open stores that restore or import, as the rows say.
  static func owners(in db: Tables) throws -> [[UInt8]] {
    let find = try db.prepare(
      """
      SELECT owner FROM restoring UNION SELECT owner FROM source WHERE owner IS NOT NULL
      """)
    var owners: [[UInt8]] = []
    while try find.step() { owners.append(find.bytes()) }
    return owners.filter { $0 != nobody }
  }

  /// Marks what an open store that ended was restoring or importing, so that it goes.
  static func giveUp(_ owner: [UInt8], in change: Change) throws {
    for sql: StaticString in [
      "INSERT OR IGNORE INTO removing (session) SELECT session FROM restoring WHERE owner = ?",
      "DELETE FROM restoring WHERE owner = ?",
    ] {
      let statement = try change.db.prepare(sql)
      statement.bind(owner)
      try statement.run()
    }
    // The files that restored sessions were imported from go with the sessions.
    let find = try change.db.prepare(
      """
      SELECT number FROM source AS s WHERE owner = ?
        AND NOT EXISTS (SELECT 1 FROM import WHERE source = s.number)
      """)
    find.bind(owner)
    var sources: [Int64] = []
    while try find.step() { sources.append(find.int64()) }
    for source in sources { _ = try giveUp(source: source, of: owner, in: change) }
  }

  /// Marks an import that did not come to its end: its file goes, and the session that it made; what it added to another
  /// stays, as whole entries.
  /// - Parameter owner: The open store that imports it: another's may have its number by now.
  static func giveUp(source: Int64, of owner: [UInt8], in change: Change) throws
    -> [RemovalStep.Target]
  {
    let find = try change.db.prepare(
      "SELECT target, format, digest FROM source WHERE number = ? AND owner = ?")
    find.bind(source)
    find.bind(owner)
    guard try find.step() else { return [] }
    let target = find.optionalInt64()
    let detail = [
      ("format", JSON.string(find.text())), ("source", .string(find.digest()?.hex ?? "")),
    ]
    find.reset()
    try change.log(.abandon, detail)
    try SourceRemoval.release(source, in: change.db)
    guard let target else { return [.source(source)] }
    let hide = try change.db.prepare(
      "UPDATE session SET state = ? WHERE number = ? AND +state = ? RETURNING 1")
    hide.bind(SessionPresence.purged)
    hide.bind(target)
    hide.bind(SessionPresence.importing)
    guard try hide.step() else { return [.source(source)] }
    hide.reset()
    try mark(target, in: change.db)
    return [.session(target), .source(source)]
  }

  /// Marks a restoring that did not come to its end: the sessions that it made go.
  /// - Parameter owner: The open store that restores them: another's may have their numbers by now.
  static func giveUp(restored sessions: ArraySlice<Int64>, of owner: [UInt8], in db: Tables)
    throws
  {
    for session in sessions {
      for sql: StaticString in [
        """
        INSERT OR IGNORE INTO removing (session)
        SELECT session FROM restoring WHERE session = ? AND owner = ?
        """,
        "DELETE FROM restoring WHERE session = ? AND owner = ?",
      ] {
        let statement = try db.prepare(sql)
        statement.bind(session)
        statement.bind(owner)
        try statement.run()
      }
    }
  }
}
