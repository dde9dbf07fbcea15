#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The session that is searched, with all entries that it shows.
struct SearchViewer {
  let id: UUID
  let number: Int64
  let lineage: Lineage
  /// The entries that the session shows with an earlier text than the present one, and the owner's changes that it sees.
  let differing: [EntryID: Int]
  private let entries: Int

  init(_ id: UUID, in db: Tables) throws {
    guard let found = try db.sessions.searched(id) else { throw KeepsakeError.noSession(id) }
    self.id = id
    (number, entries) = found
    lineage = try Lineage(of: number, in: db)
    var differing: [EntryID: Int] = [:]
    for stretch in Self.stretches(of: lineage, entries) {
      guard let changes = stretch.changes else { continue }
      for entry in try db.entries.revised(since: changes, in: stretch.ids) {
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

  /// Tells whether the session shows the entry, with its present or an earlier text.
  func shows(_ entry: EntryID) -> Bool {
    entry.position < entries && lineage.owner(of: entry.position).session == entry.session
  }

  /// Tells whether the session shows the entry with the indexed text.
  func showsAsIndexed(_ entry: EntryID) -> Bool {
    shows(entry) && differing[entry] == nil
  }

  /// The stretches of entries that the session shows, each of which one session owns, with the owner's changes that the
  /// session sees; nil for all of them.
  var stretches: [(ids: ClosedRange<EntryID>, changes: Int?)] {
    Self.stretches(of: lineage, entries)
  }

  private static func stretches(
    of lineage: Lineage, _ entries: Int
  ) -> [(ids: ClosedRange<EntryID>, changes: Int?)] {
    lineage.stretches(0..<entries).map { piece, positions in
      (EntryID.range(positions, of: piece.session), piece.changes)
    }
  }
}
