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

  init(
    id: UUID, number: Int64, lineage: Lineage, entries: Int, differing: [EntryID: Int]
  ) {
    self.id = id
    self.number = number
    self.lineage = lineage
    self.entries = entries
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

  /// Cuts the entries that a lineage shows into stretches, each of which one session owns.
  static func stretches(
    of lineage: Lineage, _ entries: Int
  ) -> [(ids: ClosedRange<EntryID>, changes: Int?)] {
    lineage.stretches(0..<entries).map { piece, positions in
      (EntryID.range(positions, of: piece.session), piece.changes)
    }
  }
}
