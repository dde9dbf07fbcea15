#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// What a change needs to know of its session, read and written back inside of one transaction.
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
  /// Whether the turn that goes on may be another than the newest one: turns of several lanes, or one within another.
  private(set) var hasOverlappingTurns: Bool
  /// The turns that are open, newest first; nil until somebody asks.
  var openTurns: [OpenTurn]?
  /// Whether an entry of the newest block of ``EntryKeys`` may have a key; of one that began just now that is known.
  var mayHaveKeys = true

  var number: Int64 { chain.session }

  private let storedUpdated: Int64
  /// The preview that it is to have; nil while the stored one stays, which would be read and written for nothing.
  private var newPreview: String??
  private var beganToOverlap = false

  /// Reads the session, which may have been deleted, and its number given to another, since its handle was made.
  ///
  /// A purged one, of which only its forks still show something, is there for erasing alone.
  init(_ session: Session, orPurged: Bool = false, in db: Connection) throws {
    let row = try db.prepare(
      """
      SELECT entries, turns, attachments, labels, bytes, updated, changes, head, model, cover,
        preview IS NOT NULL, overlapping
      FROM session WHERE number = ? AND id = ? AND state < ?
      """)
    row.bind(session.number)
    row.bind(session.id.bytes)
    row.bind(orPurged ? SessionPresence.restoring : .purged)
    guard try row.step() else { throw KeepsakeError.noSession(session.id) }
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
        .damaged, "Session \(session.id) has no chain head.", remedy: .verify)
    }
    chain = SessionChain(Chain(head: head, count: changes), of: session.number)
    model = row.optionalText()
    cover = row.optionalInt64()
    hasPreview = row.bool()
    hasOverlappingTurns = row.bool()
  }

  /// The next position alone, for reading; the same sessions are there as for a change.
  static func entries(of session: Session, in db: Connection) throws -> Int {
    let row = try db.prepare(
      "SELECT entries FROM session WHERE number = ? AND id = ? AND state < ?")
    row.bind(session.number)
    row.bind(session.id.bytes)
    row.bind(SessionPresence.purged)
    guard try row.step() else { throw KeepsakeError.noSession(session.id) }
    return try row.int(in: .entries)
  }

  /// Gives it another preview, or none.
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

  /// Writes everything back. The index over `updated` is left alone while the second is the same: it costs a page.
  func save(in db: Connection) throws {
    let sameSecond = updated / 1_000_000 == storedUpdated / 1_000_000
    let statement =
      sameSecond
      ? try db.prepare(
        """
        UPDATE session SET entries = ?, turns = ?, attachments = ?, labels = ?, bytes = ?,
          changes = ?, head = ?, model = ?, cover = ? WHERE number = ?
        """)
      : try db.prepare(
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
    if let newPreview { try save(preview: newPreview, in: db) }
    if beganToOverlap {
      let mark = try db.prepare("UPDATE session SET overlapping = 1 WHERE number = ?")
      mark.bind(number)
      try mark.run()
    }
  }
}

extension SessionRow {
  private func save(preview: String?, in db: Connection) throws {
    let statement = try db.prepare("UPDATE session SET preview = ? WHERE number = ?")
    statement.bind(preview)
    statement.bind(number)
    try statement.run()
  }
}
