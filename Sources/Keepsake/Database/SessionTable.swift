#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The statements over the table of sessions and their tags.
struct SessionTable {
  let db: Connection
}

extension Tables {
  var sessions: SessionTable { SessionTable(db: connection) }
}

extension SessionTable {
  /// Finds the id of a session by its number; nil if the session is not there, or has no id.
  func id(of number: Int64) throws -> UUID? {
    let find = try db.prepare("SELECT id FROM session WHERE number = ?")
    find.bind(number)
    guard try find.step() else { return nil }
    return UUID(bytes: find.span())
  }

  /// Finds the id of a session that a handle may find, by its number.
  func idOfOpen(_ number: Int64) throws -> UUID? {
    let find = try db.prepare("SELECT id FROM session WHERE number = ? AND state < ?")
    find.bind(number)
    find.bind(SessionPresence.purged)
    return try find.step() ? UUID(bytes: find.bytes()) : nil
  }

  /// Returns whether turns of a session may overlap: turns of several lanes, or one within another.
  func areTurnsOverlapping(in session: Int64) throws -> Bool {
    let find = try db.prepare("SELECT overlapping FROM session WHERE number = ?")
    find.bind(session)
    return try find.step() && find.bool()
  }

  /// Reads the lineage of a session, from the session up to its root.
  func lineage(of session: Int64) throws -> Lineage {
    var pieces: [Lineage.Piece] = []
    var number = session
    var changes: Int?
    var end = Int.max
    let row = try db.prepare(
      "SELECT fork_position, parent, fork_change FROM session WHERE number = ?")
    while true {
      row.bind(number)
      guard try row.step() else {
        throw KeepsakeError(
          .damaged,
          "A fork's parent, session number \(number), is not there.", remedy: .verify)
      }
      let start = try row.int(in: .entries)
      pieces.append(Lineage.Piece(session: number, start: start, end: end, changes: changes))
      guard let parent = try row.optionalInt64(in: .session) else { break }
      guard pieces.count < 10_000 else {
        throw KeepsakeError(
          .damaged, "Session number \(session) is a fork of itself.", remedy: .verify)
      }
      changes = try row.optionalInt(in: .count)
      end = min(end, start)
      number = parent
      row.reset()
    }
    return Lineage(pieces: pieces.reversed())
  }
}

// MARK: - Titles, tags and metadata

extension SessionTable {
  /// Gives a session a title, or none.
  func update(title: String?, of session: Int64) throws {
    let update = try db.prepare("UPDATE session SET title = ? WHERE number = ?")
    update.bind(title)
    update.bind(session)
    try update.run()
  }

  /// Inserts a tag of an entry; `entry` is -1 for a tag of the session itself.
  func insert(tag: String, entry: Int64, of session: Int64) throws {
    let statement = try db.prepare(
      "INSERT OR IGNORE INTO tag (tag, session, entry) VALUES (?, ?, ?)")
    statement.bind(tag)
    statement.bind(session)
    statement.bind(entry)
    try statement.run()
  }

  /// Deletes a tag of the session itself.
  func delete(tag: String, of session: Int64) throws {
    let delete = try db.prepare("DELETE FROM tag WHERE tag = ? AND session = ? AND entry = -1")
    delete.bind(tag)
    delete.bind(session)
    try delete.run()
  }

  /// Reads the tags of a session itself, in their order.
  func tags(of session: Int64) throws -> [String] {
    let find = try db.prepare("SELECT tag FROM tag WHERE session = ? AND entry = -1 ORDER BY tag")
    find.bind(session)
    var tags: [String] = []
    while try find.step() { tags.append(find.text()) }
    return tags
  }

  /// Deletes the tags of an entry.
  func deleteTags(of entry: EntryID) throws {
    let delete = try db.prepare("DELETE FROM tag WHERE session = ? AND entry = ?")
    delete.bind(entry.session)
    delete.bind(entry)
    try delete.run()
  }

  /// Deletes the tags of a session itself.
  func deleteOwnTags(of session: Int64) throws {
    let delete = try db.prepare("DELETE FROM tag WHERE session = ? AND entry = -1")
    delete.bind(session)
    try delete.run()
  }

  /// Reads the text of the JSON that the app keeps with a session.
  func metadata(of session: Int64) throws -> String? {
    let find = try db.prepare("SELECT json FROM session_metadata WHERE session = ?")
    find.bind(session)
    return try find.step() ? find.text() : nil
  }

  /// Stores the text of the JSON that the app keeps with a session.
  func store(metadata: String, of session: Int64) throws {
    let insert = try db.prepare(
      """
      INSERT INTO session_metadata (session, json) VALUES (?, ?)
      ON CONFLICT (session) DO UPDATE SET json = excluded.json
      """)
    insert.bind(session)
    insert.bind(metadata)
    try insert.run()
  }

  /// Deletes the JSON that the app keeps with a session.
  func deleteMetadata(of session: Int64) throws {
    let delete = try db.prepare("DELETE FROM session_metadata WHERE session = ?")
    delete.bind(session)
    try delete.run()
  }
}
