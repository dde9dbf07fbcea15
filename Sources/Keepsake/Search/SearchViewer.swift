#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The session that is searched, with all entries that it shows.
struct SearchViewer {
  let id: UUID
  let number: Int64
  let lineage: Lineage
  /// The entries that the session shows with an earlier text than the present one, and the owner's changes that it sees.
  let differing: [EntryID: Int]
  private let entries: Int

  init(_ id: UUID, in db: Tables) throws {
    let find = try db.prepare("SELECT number, entries FROM session WHERE id = ? AND state = 0")
    find.bind(id.bytes)
    guard try find.step() else { throw KeepsakeError.noSession(id) }
    self.id = id
    number = try find.int64(in: .session)
    entries = try find.int(in: .entries)
    lineage = try Lineage(of: number, in: db)
    var differing: [EntryID: Int] = [:]
    for stretch in lineage.stretches(0..<entries) {
      guard let changes = stretch.piece.changes else { continue }
      let session = stretch.piece.session
      let low = EntryID(session: session, position: stretch.positions.lowerBound)
      let high = EntryID(session: session, position: stretch.positions.upperBound - 1)
      for entry in try Self.changed(since: changes, low...high, in: db) {
        differing[entry] = changes
      }
    }
    self.differing = differing
  }

  /// The range of entry ids from the lowest to the highest shown; entries of other sessions may lie in between.
  var ids: ClosedRange<EntryID> {
    let sessions = lineage.pieces.map(\.session)
    return EntryID(
      session: sessions.min() ?? number, position: 0)...EntryID(
        session: sessions.max() ?? number, position: EntryID.maximumPosition)
  }

  /// Whether the session shows the entry, with its present or an earlier text.
  func shows(_ entry: EntryID) -> Bool {
    entry.position < entries && lineage.owner(of: entry.position).session == entry.session
  }

  /// Whether the session shows the entry with the indexed text.
  func showsAsIndexed(_ entry: EntryID) -> Bool {
    shows(entry) && differing[entry] == nil
  }

  /// Returns the range of document numbers from the lowest to the highest shown; nil if there are no documents.
  func documents(in db: Tables) throws -> ClosedRange<Int64>? {
    var numbers: ClosedRange<Int64>?
    for stretch in lineage.stretches(0..<entries) {
      let find = try db.prepare(
        "SELECT min(number), max(number) FROM document WHERE entry BETWEEN ? AND ?")
      let session = stretch.piece.session
      find.bind(
        EntryID(session: session, position: stretch.positions.lowerBound))
      find.bind(
        EntryID(session: session, position: stretch.positions.upperBound - 1))
      guard try find.step(), let low = try find.optionalInt64(in: .row),
        let high = try find.optionalInt64(in: .row)
      else { continue }
      numbers = min(low, numbers?.lowerBound ?? low)...max(high, numbers?.upperBound ?? high)
    }
    return numbers
  }

  /// Returns the entries of one session that were revised, or got an attachment, after one of the session's changes.
  static func changed(
    since change: Int, _ ids: ClosedRange<EntryID>, in db: Tables
  ) throws -> [EntryID] {
    let find = try db.prepare(
      """
      SELECT entry FROM revision WHERE entry BETWEEN ?1 AND ?2 AND until > ?3
      UNION SELECT entry FROM attachment
      WHERE session = ?1 >> 24 AND entry BETWEEN ?1 AND ?2 AND recorded > ?3
      """)
    find.bind(ids.lowerBound)
    find.bind(ids.upperBound)
    find.bind(change)
    var changed: [EntryID] = []
    while try find.step() { changed.append(find.entryID()) }
    return changed
  }
}
