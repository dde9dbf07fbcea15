import KeepsakeFiles
import KeepsakeSQLite

/// What formats ask for that say where things come from.
extension Session {
  /// The head of its chain, as 64 hexadecimal digits, and how many changes lead to it.
  @concurrent
  package func chainHead() async throws -> (head: String, changes: Int) {
    try core.read { db in
      let chain = try SessionRow(self, in: db).chain
      return (chain.head.hex, chain.count)
    }
  }

  /// The digests of entries, by their positions.
  @concurrent
  package func entryDigests(_ positions: Range<Int>) async throws -> [Int: String] {
    try core.read { db in
      let find = try db.prepare("SELECT id, digest FROM entry WHERE id BETWEEN ? AND ?")
      var digests: [Int: String] = [:]
      for stretch in lineage.stretches(positions) {
        let owner = stretch.piece.session
        find.bind(EntryID.range(stretch.positions, of: owner))
        while try find.step() {
          let entry = find.entryID()
          digests[entry.position] = find.digest()?.hex
        }
        find.reset()
      }
      return digests
    }
  }

  /// What was attached in this session and belongs to no entry, in the order of recording.
  @concurrent
  package func unboundAttachments() async throws -> [Entry.Attachment] {
    try core.read { db in
      _ = try SessionRow.entries(of: self, in: db)
      return try AttachmentReader(core, in: db).read(
        where: "a.session = ?1 AND a.entry IS NULL ORDER BY a.number"
      ) { $0.bind(number) }.map(\.value).filter { $0.direction != .content }
    }
  }
}
