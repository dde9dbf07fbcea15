import KeepsakeFiles
import KeepsakeSQLite

/// How the entries of a session stand in the newest file of a format that they came from.
///
/// For a codec that writes: what has not changed since is written as it stood there, separators included, so that a file
/// that was imported is exported to the byte.
package struct SourceSheet: Sendable {
  /// A stretch of the file.
  package struct Piece: Sendable, Hashable {
    /// The positions of the entries that it says; nil for a part of the envelope.
    package let positions: Range<Int>?
    /// Whether its bytes are here and still say what the session says: nothing of it was revised, erased, or given
    /// another attachment.
    package let isCurrent: Bool

    let id: Int64
  }

  /// In the order of the file.
  package let pieces: [Piece]
  /// Whether the file says all that the session says, and nothing else: then it is the export.
  package let isWhole: Bool
  /// How many files that the session's calls name were taken in since. They lie beside the conversation, and leave what the
  /// file says as it is.
  package let filesBeside: Int

  private let core: StoreCore

  init(pieces: [Piece], entries: Int, filesBeside: Int, core: StoreCore) {
    self.pieces = pieces
    self.filesBeside = filesBeside
    self.core = core
    var next = 0
    var isWhole = true
    for piece in pieces {
      if !piece.isCurrent { isWhole = false }
      guard let positions = piece.positions else { continue }
      if positions.lowerBound != next { isWhole = false }
      next = positions.upperBound
    }
    self.isWhole = isWhole && next == entries
  }

  /// Hands over the bytes of a piece, as they stood in the file.
  package func replay(_ piece: Piece, into take: ([UInt8]) throws -> Void) throws {
    let stored = try core.read { db in try SourcePiece(piece.id, in: db) }
    try stored.replay(
      artifact: { number in
        try core.read { db in try core.artifacts.artifact(number: number, core: core, in: db) }
      }, into: take)
  }
}

extension Session {
  /// How this session stands in the newest file of a format that it came from; nil where there is none.
  package func sourceSheet(format: String) throws -> SourceSheet? {
    try core.read { db in
      let entries = try SessionRow.entries(of: self, in: db)
      for piece in lineage.pieces.reversed() {
        let find = try db.prepare(
          """
          SELECT i.source, i.change FROM import AS i JOIN source AS s ON s.number = i.source
          WHERE i.session = ? AND i.recorded <= ? AND s.format = ? ORDER BY i.number DESC LIMIT 1
          """)
        find.bind(piece.session)
        find.bind(piece.changes ?? .max)
        find.bind(format)
        guard try find.step(), let source = try SourceRow(find.int64(), in: db) else { continue }
        let changed = try changedEntries(
          since: find.int(in: .count), of: piece.session, in: db)
        return SourceSheet(
          pieces: try pieces(of: source, changed: changed, below: entries, in: db),
          entries: entries, filesBeside: try filesBeside(changed, in: db), core: core)
      }
      return nil
    }
  }

  /// The entries of a session that say something else than they did after a change.
  private func changedEntries(since change: Int, of session: Int64, in db: Tables) throws
    -> Set<EntryID>
  {
    let find = try db.prepare(
      text: """
        SELECT id FROM entry WHERE id BETWEEN ?1 AND ?2 AND change > ?3 AND operation <> ?4
        UNION
        SELECT entry FROM attachment
        WHERE session = ?5 AND entry BETWEEN ?1 AND ?2 AND change > ?3 AND operation <> ?6
          AND NOT \(Self.isFileBeside)
        """)
    find.bind(EntryID.all(of: session))
    find.bind(change)
    // A key is no content, and captions have no place in foreign files.
    find.bind(Chain.Operation.adopt)
    find.bind(session)
    find.bind(Chain.Operation.caption)
    Self.bindBases(to: find)
    var changed: Set<EntryID> = []
    while try find.step() { changed.insert(find.entryID()) }
    // What a fork attached to shared entries hangs on the fork.
    let own = try db.prepare(
      "SELECT entry FROM attachment WHERE session = ? AND entry BETWEEN ? AND ?")
    guard number != session else { return changed }
    own.bind(number)
    own.bind(EntryID.all(of: session))
    while try own.step() { changed.insert(own.entryID()) }
    return changed
  }

  /// The condition of attachments of files that were taken in because a call names them; its two parameters follow those
  /// that stand before it.
  private static let isFileBeside =
    "(basis = ? OR basis = ? AND invocation IS NULL AND reference IS NOT NULL)"

  private static func bindBases(to statement: borrowing Statement) {
    statement.bind(Entry.Attachment.Basis.path.code)
    statement.bind(Entry.Attachment.Basis.inferred.code)
  }

  /// How many files of calls hang on entries that still are what the imported file says.
  private func filesBeside(_ changed: Set<EntryID>, in db: Tables) throws -> Int {
    let find = try db.prepare(
      text: """
        SELECT entry FROM attachment
        WHERE session = ?1 AND entry BETWEEN ?2 AND ?3 AND \(Self.isFileBeside)
        """)
    find.bind(number)
    find.bind(EntryID.all(of: number))
    Self.bindBases(to: find)
    var count = 0
    while try find.step() {
      if !changed.contains(find.entryID()) { count += 1 }
    }
    return count
  }

  private func pieces(
    of source: SourceRow, changed: Set<EntryID>, below end: Int, in db: Tables
  ) throws -> [SourceSheet.Piece] {
    try source.pieces(in: db).map { piece in
      guard let first = piece.entry, let positions = piece.positions else {
        return .init(positions: nil, isCurrent: !piece.isErased, id: piece.id)
      }
      let isCurrent =
        !piece.isErased && positions.upperBound <= end
        && positions.allSatisfy {
          let id = EntryID(session: first.session, position: $0)
          return lineage.id(of: $0) == id && !changed.contains(id)
        }
      return .init(positions: positions, isCurrent: isCurrent, id: piece.id)
    }
  }
}
