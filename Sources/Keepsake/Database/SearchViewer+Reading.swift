#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SearchViewer {
  /// Reads what a session shows; throws if it is not there.
  init(_ id: UUID, in db: Tables) throws {
    guard let (number, entries) = try db.sessions.searched(id) else {
      throw KeepsakeError.noSession(id)
    }
    let lineage = try Lineage(of: number, in: db)
    var differing: [EntryID: Int] = [:]
    for stretch in Self.stretches(of: lineage, entries) {
      guard let changes = stretch.changes else { continue }
      for entry in try db.entries.revised(since: changes, in: stretch.ids) {
        differing[entry] = changes
      }
    }
    self.init(id: id, number: number, lineage: lineage, entries: entries, differing: differing)
  }
}
