import KeepsakeSQLite

/// The rows of attachments that are restored from a copy.
extension AttachmentTable {
  /// Returns the number of the newest attachment; nil if there is none.
  func newestNumber() throws -> Int64? {
    let find = try db.prepare("SELECT max(number) FROM attachment")
    return try find.step() ? find.optionalInt64(in: .row) : nil
  }

  /// Inserts an empty row with a number, so that attachments of others come after it.
  func reserve(_ number: Int64, in session: Int64) throws {
    let hold = try db.prepare(
      """
      INSERT INTO attachment (number, session, created, state, direction, maker, basis, recorded,
        operation, change, digest)
      VALUES (?, ?, 0, 0, 0, 0, 0, 0, 0, 0, zeroblob(32))
      """)
    hold.bind(number)
    hold.bind(session)
    try hold.run()
  }

  /// Removes the row that reserved a number, if there is one.
  func free(_ number: Int64) throws {
    let free = try db.prepare("DELETE FROM attachment WHERE number = ? AND recorded = 0")
    free.bind(number)
    try free.run()
  }

  /// Removes the rows that reserved numbers for a session.
  func freeAll(of session: Int64) throws {
    let free = try db.prepare("DELETE FROM attachment WHERE session = ? AND recorded = 0")
    free.bind(session)
    try free.run()
  }

  /// Inserts a note that an attachment's artifact was made from another artifact.
  func insert(input artifact: Int64, of attachment: Int64) throws {
    let insert = try db.prepare("INSERT INTO derivation (artifact, attachment) VALUES (?, ?)")
    insert.bind(artifact)
    insert.bind(attachment)
    try insert.run()
  }

  /// Returns the highest number at the end of a label of a session, after which new labels continue.
  func lastLabel(of session: Int64, atLeast shared: Int) throws -> Int {
    let find = try db.prepare(
      "SELECT label FROM attachment WHERE session = ? AND label IS NOT NULL")
    find.bind(session)
    var last = shared
    while try find.step() {
      guard let digits = find.text().split(separator: "_").last, digits.utf8.count <= 9 else {
        continue
      }
      last = max(last, Int(digits) ?? 0)
    }
    return last
  }
}
