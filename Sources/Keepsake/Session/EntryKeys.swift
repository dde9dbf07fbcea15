import KeepsakeFiles
import KeepsakeSQLite

/// Which entry of a session has a key: what an append asks, so that nothing is added twice.
///
/// Keys are random as a rule, and an index that took each with its entry would change one more page at every append, a
/// different one each time. So positions are taken in blocks: when a block's last entry comes, its keys go into the
/// index together, as short digests that fall into few pages. The keys of the block that is not full yet are read from
/// its rows, of which there are never more than fifteen. What changes the index runs inside of its caller's transaction.
enum EntryKeys {
  /// How many positions go into the index together.
  static let block = 16

  /// Which digest stands for a key in the index. Two keys may share one: the row itself decides.
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

  /// The first of some entries that a session owns which has a key; all the positions must be taken.
  static func entry(
    with key: String, in positions: Range<Int>, of session: Int64, in db: Connection
  ) throws -> EntryID? {
    let find = try db.prepare(indexed)
    find.bind(EntryID(session: session, position: 0))
    find.bind(session)
    find.bind(Int(digest(of: key)))
    find.bind(positions.lowerBound)
    find.bind(positions.upperBound - 1)
    find.bind(key)
    if try find.step() { return find.entryID() }
    let open = max(positions.lowerBound, positions.upperBound / block * block)
    guard open < positions.upperBound else { return nil }
    let look = try db.prepare(waiting)
    look.bind(EntryID(session: session, position: open))
    look.bind(EntryID(session: session, position: positions.upperBound - 1))
    look.bind(key)
    return try look.step() ? look.entryID() : nil
  }

  /// Whether an entry is the first of its block.
  static func beginsBlock(_ entry: EntryID) -> Bool { entry.position % block == 0 }

  /// Whether an entry is the last of its block.
  static func fillsBlock(_ entry: EntryID) -> Bool { entry.position % block == block - 1 }

  /// Follows the insertion of an entry, which comes behind all others of its session.
  static func inserted(_ entry: EntryID, in db: Connection) throws {
    guard fillsBlock(entry) else { return }
    let find = try db.prepare(
      "SELECT id, key FROM entry WHERE id BETWEEN ? AND ? AND key IS NOT NULL")
    find.bind(entry.rawValue - Int64(block - 1))
    find.bind(entry)
    while try find.step() {
      let filled = find.entryID()
      try insert(digest(of: find.span()), filled, in: db)
    }
  }

  /// Follows an entry that is given a key later, in a session that has so many by now.
  static func changed(
    _ entry: EntryID, to key: String, entries: Int, in db: Connection
  ) throws {
    guard entry.position / block < entries / block else { return }
    try insert(digest(of: key), entry, in: db)
  }

  private static func insert(_ digest: Int32, _ entry: EntryID, in db: Connection) throws {
    // What a damaged index has already must not keep an entry from being added.
    let insert = try db.prepare(
      "INSERT OR IGNORE INTO entry_key (session, digest, position) VALUES (?, ?, ?)")
    insert.bind(entry.session)
    insert.bind(Int(digest))
    insert.bind(entry.position)
    try insert.run()
  }

  /// Follows the removal of an entry that had the key.
  static func removed(_ entry: EntryID, with key: RawSpan, in db: Connection) throws {
    let delete = try db.prepare(
      "DELETE FROM entry_key WHERE session = ? AND digest = ? AND position = ?")
    delete.bind(entry.session)
    delete.bind(Int(digest(of: key)))
    delete.bind(entry.position)
    try delete.run()
  }

  /// Whether the index has an entry's key.
  static func contains(_ entry: EntryID, with key: RawSpan, in db: Connection) throws -> Bool {
    let find = try db.prepare(
      "SELECT 1 FROM entry_key WHERE session = ? AND digest = ? AND position = ?")
    find.bind(entry.session)
    find.bind(Int(digest(of: key)))
    find.bind(entry.position)
    return try find.step()
  }
}
