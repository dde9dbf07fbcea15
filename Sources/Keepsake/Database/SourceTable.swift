import KeepsakeFiles
import KeepsakeSQLite

/// The statements over the tables of sources, their pieces, and imports.
struct SourceTable {
  let db: Connection
}

extension Tables {
  var sources: SourceTable { SourceTable(db: connection) }
}

// MARK: - Writing

extension SourceTable {
  /// Inserts a source without pieces, and returns its number.
  func insert(_ source: NewSource) throws -> Int64 {
    let insert = try db.prepare(
      """
      INSERT INTO source
        (format, name, created, size, digest, base, base_pieces, owner, target, records, beginning,
          identity)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insert.bind(source.format)
    insert.bind(source.name)
    insert.bind(source.created)
    insert.bind(source.size)
    insert.bind(source.digest)
    insert.bind(source.base?.number)
    insert.bind(source.base?.count ?? 0)
    insert.bind(source.owner)
    insert.bind(source.target)
    insert.bind(source.records)
    insert.bind(source.beginning)
    insert.bind(source.identity)
    try insert.run()
    return try Tables(db).insertedRow(in: .source)
  }

  /// Gives a source the size and the digests of its file, which grew.
  func update(
    _ number: Int64, size: Int64, digest: SHA256Digest, records: Int, identity: SHA256Digest
  ) throws {
    let update = try db.prepare(
      "UPDATE source SET size = ?, digest = ?, records = ?, identity = ? WHERE number = ?")
    update.bind(size)
    update.bind(digest)
    update.bind(records)
    update.bind(identity)
    update.bind(number)
    try update.run()
  }

  /// Notes the digests of a source's records, by which files that continue it are found.
  ///
  /// - Parameters:
  ///   - number: The source.
  ///   - records: The number of records.
  ///   - beginning: The digest of the records up to the first prompt.
  ///   - identity: The digest of all records.
  func identify(
    _ number: Int64, records: Int, beginning: SHA256Digest, identity: SHA256Digest
  ) throws {
    let update = try db.prepare(
      "UPDATE source SET records = ?, beginning = ?, identity = ? WHERE number = ?")
    update.bind(records)
    update.bind(beginning)
    update.bind(identity)
    update.bind(number)
    try update.run()
  }

  /// Notes that a source is written to its end, so that it has no owner any more.
  func complete(_ number: Int64) throws {
    let complete = try db.prepare("UPDATE source SET owner = NULL, target = NULL WHERE number = ?")
    complete.bind(number)
    try complete.run()
  }
}

// MARK: - Owners

extension SourceTable {
  /// Tells whether a source has a certain owner.
  func isOwned(_ number: Int64, by owner: [UInt8]?) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM source WHERE number = ? AND owner = ?")
    find.bind(number)
    find.bind(owner)
    return try find.step()
  }

  /// Gives a source another owner, and parts it from the session that its import was making.
  func release(_ number: Int64, to owner: [UInt8]) throws {
    let update = try db.prepare("UPDATE source SET owner = ?, target = NULL WHERE number = ?")
    update.bind(owner)
    update.bind(number)
    try update.run()
  }
}

// MARK: - Removing

extension SourceTable {
  /// Deletes the row of a source, which has no pieces any more.
  func delete(_ number: Int64) throws {
    let delete = try db.prepare("DELETE FROM source WHERE number = ?")
    delete.bind(number)
    try delete.run()
  }
}
