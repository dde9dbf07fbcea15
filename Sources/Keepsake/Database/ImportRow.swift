import KeepsakeFiles
import KeepsakeSQLite

/// A row of `import`, which records that a session took over a source.
struct ImportRow {
  let session: Int64
  let source: Int64
  let created: Int64
  /// The first position that was added.
  var first: Int
  /// The number of entries that were added.
  var count: Int
  /// The number of the session's change that recorded the import.
  let recorded: Int
  let salt: Salt
  var link: RowLink

  /// Makes the row of a new import.
  init(session: Int64, source: Int64, created: Int64, first: Int, count: Int, recorded: Int) {
    self.session = session
    self.source = source
    self.created = created
    self.first = first
    self.count = count
    self.recorded = recorded
    salt = Salt()
    link = RowLink(beginning: .take)
  }

  /// Reads the row of an import.
  init(_ number: Int64, in db: Tables) throws {
    let find = try db.connection.prepare(
      """
      SELECT session, source, created, first, count, recorded, change, salt, digest
      FROM import WHERE number = ?
      """)
    find.bind(number)
    var damage: KeepsakeError {
      KeepsakeError(.damaged, "Import \(number) is damaged.", remedy: .verify)
    }
    guard try find.step() else { throw damage }
    session = find.int64()
    source = find.int64()
    created = find.int64()
    first = try find.int(in: .entries)
    count = try find.int(in: .entries)
    recorded = try find.int(in: .count)
    let change = try find.int(in: .count)
    guard let salt = find.salt(), let digest = find.digest() else { throw damage }
    self.salt = salt
    link = RowLink(operation: .take, change: change, digest: digest)
  }

  /// Returns the digest of the row and of the facts about its file, from which its link in the chain is made.
  func digest(format: String, name: String?, size: Int64, digest: SHA256Digest) -> SHA256Digest {
    var canonical = Canonical("keepsake.import.1")
    canonical.add(recorded)
    canonical.add(format)
    canonical.add(name)
    canonical.add(size)
    canonical.add(digest)
    canonical.add(created)
    canonical.add(first)
    canonical.add(count)
    canonical.add(salt)
    return canonical.digest
  }

  /// Inserts or updates the row.
  ///
  /// - Parameter number: The number of the row; nil to insert a new one.
  /// - Returns: The number of the row.
  func save(as number: Int64?, in db: Tables) throws -> Int64 {
    let save = try db.connection.prepare(
      """
      INSERT INTO import
        (number, session, source, created, first, count, recorded, operation, change, salt, digest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (number) DO UPDATE SET first = excluded.first, count = excluded.count,
        change = excluded.change, digest = excluded.digest
      """)
    save.bind(number)
    save.bind(session)
    save.bind(source)
    save.bind(created)
    save.bind(first)
    save.bind(count)
    save.bind(recorded)
    save.bind(link.operation)
    save.bind(link.change)
    save.bind(salt)
    save.bind(link.digest)
    try save.run()
    return try number ?? db.insertedRow(in: .row)
  }
}
