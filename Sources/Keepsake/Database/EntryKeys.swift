import KeepsakeFiles
import KeepsakeSQLite

/// The index of the entries' keys, in which an append looks for an entry that the session already has.
///
/// Most keys are random. An index that took each key with its entry would change one more page at every append, and a
/// different page each time. So an append leaves the index alone until a block of sixteen positions is full, and then
/// adds the block's keys together, as short digests that fall into few pages. The keys of the newest block are read
/// from the entries' rows; these are fifteen at most. All functions run inside of the caller's transaction.
enum EntryKeys {
  /// The number of positions in a block.
  static let block = 16

  /// The digest that stands for a key in the index. Two keys may share a digest, so the entry's row decides.
  static func digest(of key: String) -> Int32 { key.withUTF8Bytes { digest(of: $0) } }

  private static func digest(of key: RawSpan) -> Int32 {
    var hash = SHA256()
    hash.update(key)
    return hash.finalize().prefix
  }

  static let indexed: StaticString =
    """
    SELECT e.id FROM entry_key AS k CROSS JOIN entry AS e ON e.id = ? + k.position
    WHERE k.session = ? AND k.digest = ? AND k.position BETWEEN ? AND ? AND e.key = ?
    ORDER BY k.position LIMIT 1
    """
  static let waiting: StaticString =
    "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND key = ? ORDER BY id LIMIT 1"

  /// Returns the first entry with a key among positions that a session owns and that all have entries.
  static func entry(
    with key: String, in positions: Range<Int>, of session: Int64, in db: Tables
  ) throws -> EntryID? {
    let find = try db.connection.prepare(indexed)
    find.bind(EntryID(session: session, position: 0))
    find.bind(session)
    find.bind(Int(digest(of: key)))
    find.bind(positions.lowerBound)
    find.bind(positions.upperBound - 1)
    find.bind(key)
    if try find.step() { return find.entryID() }
    let open = max(positions.lowerBound, positions.upperBound / block * block)
    guard open < positions.upperBound else { return nil }
    let look = try db.connection.prepare(waiting)
    look.bind(EntryID(session: session, position: open))
    look.bind(EntryID(session: session, position: positions.upperBound - 1))
    look.bind(key)
    return try look.step() ? look.entryID() : nil
  }

  /// Returns whether an entry is the last of its block.
  static func fillsBlock(_ entry: EntryID) -> Bool { entry.position % block == block - 1 }

  /// The newest block of a session, in a transaction that appends entries.
  struct NewestBlock {
    /// Tells whether an entry of the block may have a key. It is not known of a block that an earlier transaction began.
    private var mayHaveKeys = true

    /// Updates the index for an entry that was appended, and reads no block that has no keys.
    mutating func append(_ entry: EntryID, hasKey: Bool, in db: Tables) throws {
      if entry.position % EntryKeys.block == 0 { mayHaveKeys = false }
      if hasKey { mayHaveKeys = true }
      if mayHaveKeys { try EntryKeys.inserted(entry, in: db) }
    }

    /// Updates the index for a stored entry that is given a key. `entries` is the number of entries in its session.
    mutating func change(_ entry: EntryID, to key: String, entries: Int, in db: Tables) throws {
      mayHaveKeys = true
      guard entry.position / EntryKeys.block < entries / EntryKeys.block else { return }
      try EntryKeys.insert(EntryKeys.digest(of: key), entry, in: db)
    }
  }

  /// Updates the index for an entry that was added at the end of its session.
  static func inserted(_ entry: EntryID, in db: Tables) throws {
    guard fillsBlock(entry) else { return }
    let find = try db.connection.prepare(
      "SELECT id, key FROM entry WHERE id BETWEEN ? AND ? AND key IS NOT NULL")
    find.bind(entry.rawValue - Int64(block - 1))
    find.bind(entry)
    while try find.step() {
      let filled = find.entryID()
      try insert(digest(of: find.span()), filled, in: db)
    }
  }

  private static func insert(_ digest: Int32, _ entry: EntryID, in db: Tables) throws {
    // A damaged index may have the row already, which must not keep the entry from being added.
    let insert = try db.connection.prepare(
      "INSERT OR IGNORE INTO entry_key (session, digest, position) VALUES (?, ?, ?)")
    insert.bind(entry.session)
    insert.bind(Int(digest))
    insert.bind(entry.position)
    try insert.run()
  }

  /// Updates the index for an entry that is removed.
  static func removed(_ entry: EntryID, with key: RawSpan, in db: Tables) throws {
    let delete = try db.connection.prepare(
      "DELETE FROM entry_key WHERE session = ? AND digest = ? AND position = ?")
    delete.bind(entry.session)
    delete.bind(Int(digest(of: key)))
    delete.bind(entry.position)
    try delete.run()
  }

  /// Returns whether the index has an entry's key.
  static func contains(_ entry: EntryID, with key: RawSpan, in db: Tables) throws -> Bool {
    let find = try db.connection.prepare(
      "SELECT 1 FROM entry_key WHERE session = ? AND digest = ? AND position = ?")
    find.bind(entry.session)
    find.bind(Int(digest(of: key)))
    find.bind(entry.position)
    return try find.step()
  }
}
