import KeepsakeFiles
import KeepsakeSQLite

extension ChangeTable {
  /// Keeps the link of a row that is removed, unless the link is kept already.
  func archive(
    _ number: Int, operation: Int, position: Int, digest: SHA256Digest?, of session: Int64
  ) throws {
    let insert = try db.prepare(
      """
      INSERT OR IGNORE INTO change (session, number, operation, position, digest)
      VALUES (?, ?, ?, ?, ?)
      """)
    insert.bind(session)
    insert.bind(number)
    insert.bind(operation)
    insert.bind(position)
    insert.bind(digest)
    try insert.run()
  }
}
