import KeepsakeFiles
import KeepsakeSQLite

/// The statements over the table of the lists that were saved last.
struct SavedTable {
  let db: Connection
}

extension Tables {
  var saved: SavedTable { SavedTable(db: connection) }
}

extension SavedTable {
  /// Finds the number of entries in the list that a session saved last, and its digest.
  func list(of session: Int64) throws -> (count: Int, digest: SHA256Digest)? {
    let find = try db.prepare("SELECT digest, count FROM saved WHERE session = ?")
    find.bind(session)
    guard try find.step(), let digest = find.digest() else { return nil }
    return (try find.int(in: .size), digest)
  }

  /// Finds the position of the last entry in the list that a session saved last; nil if that list is not the given one.
  func position(of session: Int64, list: (count: Int, digest: SHA256Digest)?) throws -> Int? {
    let find = try db.prepare("SELECT count, digest, position FROM saved WHERE session = ?")
    find.bind(session)
    guard try find.step(), let list, list.count == find.int(), list.digest == find.digest() else {
      return nil
    }
    return try find.int(in: .position)
  }

  /// Notes the list that a session saved last.
  /// - Parameters:
  ///   - count: The number of entries in the list.
  ///   - digest: The digest of the list.
  ///   - position: The position of the list's last entry.
  ///   - session: The number of the session.
  func store(_ count: Int, digest: SHA256Digest, position: Int, of session: Int64) throws {
    let save = try db.prepare(
      """
      INSERT INTO saved (session, count, position, digest) VALUES (?, ?, ?, ?)
      ON CONFLICT (session) DO UPDATE SET count = excluded.count, position = excluded.position,
        digest = excluded.digest WHERE digest IS NOT excluded.digest
      """)
    save.bind(session)
    save.bind(count)
    save.bind(position)
    save.bind(digest)
    try save.run()
  }
}
