#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// The columns of a session's row that a change reads, and writes back in the same transaction.
struct SessionRow {
  var entries: Int
  var turns: Int
  var attachments: Int
  var labels: Int
  var bytes: Int64
  var updated: Int64
  var chain: SessionChain
  var model: String?
  private(set) var hasPreview: Bool
  var cover: Int64?
  /// Tells whether the turn that goes on may be another than the newest one: turns of several lanes, or one within another.
  private(set) var hasOverlappingTurns: Bool
  /// The turns that are open, newest first; nil until somebody asks.
  var openTurns: [OpenTurn]?
  var newestKeys = EntryKeys.NewestBlock()

  var number: Int64 { chain.session }

  private let storedUpdated: Int64
  /// The new preview; nil while the stored one stays, so that it is neither read nor written.
  private var newPreview: String??
  private var beganToOverlap = false

  /// Reads the row of a session; throws if the session was deleted, even if its number was reused since.
  ///
  /// - Parameters:
  ///   - number: The number of the session.
  ///   - id: The id of the session.
  ///   - orPurged: Whether a purged session is read, too, which only shows in its forks.
  ///   - db: The tables.
  init(_ number: Int64, id: UUID, orPurged: Bool, in db: Tables) throws {
    let row = try db.connection.prepare(
      """
      SELECT entries, turns, attachments, labels, bytes, updated, changes, head, model, cover,
        preview IS NOT NULL, overlapping
      FROM session WHERE number = ? AND id = ? AND state < ?
      """)
    row.bind(number)
    row.bind(id.bytes)
    row.bind(orPurged ? SessionPresence.restoring : .purged)
    guard try row.step() else { throw try KeepsakeError.noSession(id, at: number, in: db) }
    entries = try row.int(in: .entries)
    turns = try row.int(in: .count)
    attachments = try row.int(in: .count)
    labels = try row.int(in: .count)
    bytes = try row.int64(in: .total)
    updated = row.int64()
    storedUpdated = updated
    let changes = try row.int(in: .count)
    guard let head = row.digest() else {
      throw KeepsakeError(
        .damaged, "Session \(id) has no chain head.", remedy: .verify)
    }
    chain = SessionChain(Chain(head: head, count: changes), of: number)
    model = row.optionalText()
    cover = row.optionalInt64()
    hasPreview = row.bool()
    hasOverlappingTurns = row.bool()
  }

  /// Reads the number of a session's entries alone.
  static func entries(of number: Int64, id: UUID, in db: Tables) throws -> Int {
    let row = try db.connection.prepare(
      "SELECT entries FROM session WHERE number = ? AND id = ? AND state < ?")
    row.bind(number)
    row.bind(id.bytes)
    row.bind(SessionPresence.purged)
    guard try row.step() else { throw try KeepsakeError.noSession(id, at: number, in: db) }
    return try row.int(in: .entries)
  }

  /// Gives the session another preview, or none.
  mutating func set(preview: String?) {
    newPreview = .some(preview)
    hasPreview = preview != nil
  }

  /// Notes that from now on the newest turn may not be the one that goes on.
  mutating func overlapTurns() {
    if hasOverlappingTurns { return }
    hasOverlappingTurns = true
    beganToOverlap = true
  }

  /// Writes the columns back.
  ///
  /// The index over `updated` costs a page, so `updated` is only written when its second changes.
  func save(in db: Tables) throws {
    let sameSecond = updated / 1_000_000 == storedUpdated / 1_000_000
    let statement =
      sameSecond
      ? try db.connection.prepare(
        """
        UPDATE session SET entries = ?, turns = ?, attachments = ?, labels = ?, bytes = ?,
          changes = ?, head = ?, model = ?, cover = ? WHERE number = ?
        """)
      : try db.connection.prepare(
        """
        UPDATE session SET entries = ?, turns = ?, attachments = ?, labels = ?, bytes = ?,
          changes = ?, head = ?, model = ?, cover = ?, updated = ?11 WHERE number = ?10
        """)
    statement.bind(entries)
    statement.bind(turns)
    statement.bind(attachments)
    statement.bind(labels)
    statement.bind(bytes)
    statement.bind(chain.count)
    statement.bind(chain.head)
    statement.bind(model)
    statement.bind(cover)
    statement.bind(number)
    if !sameSecond { statement.bind(updated) }
    try statement.run()
    if let newPreview { try db.sessions.set(preview: newPreview, of: number) }
    if beganToOverlap {
      let mark = try db.connection.prepare("UPDATE session SET overlapping = 1 WHERE number = ?")
      mark.bind(number)
      try mark.run()
    }
  }
}
