import Files
import SQLite

/// Checks that the files that entries were imported from are here, piece for piece, and, if asked, to the byte.
struct SourceCheck {
  let core: StoreCore
  let readData: Bool
  private var last: Int64 = 0

  init(core: StoreCore, readData: Bool) {
    self.core = core
    self.readData = readData
  }

  /// Checks the next source; false at the end.
  mutating func next(report: inout VerifyReport) throws -> Bool {
    let found = try core.read { db in try SourceRow.complete(after: last, in: db) }
    guard let found else { return false }
    last = found.number
    report.counts.sources += 1
    do { try check(found, &report) } catch let error as KeepsakeError {
      // It may have been deleted meanwhile.
      guard try core.read({ try SourceRow(found.number, in: $0) }) != nil else { return true }
      report.damaged(Self.name(found), error.message)
    }
    return true
  }

  /// Checks a source that does not count as complete yet.
  func check(restored number: Int64, report: inout VerifyReport) throws {
    guard let found = try core.read({ db in try SourceRow(number, in: db) }) else { return }
    try check(found, &report)
  }

  private func check(_ source: SourceRow, _ report: inout VerifyReport) throws {
    let pieces = try core.read { db in try source.pieces(in: db) }
    if let gap = pieces.gap {
      report.damaged(Self.name(source), "Its piece \(gap) is gone.")
      return
    }
    if pieces.erased > 0 {
      report.harmless(
        Self.name(source), "\(pieces.erased) of its records were erased or deleted.",
        remedy: "Nothing to do: their content was meant to go.")
      return
    }
    guard readData else { return }
    var hash = SHA256()
    var size: Int64 = 0
    for id in pieces.ids {
      let piece = try core.read { db in try SourcePiece(id, in: db) }
      try piece.replay(
        artifact: { number in
          try core.read { db in try core.artifacts.artifact(number: number, core: core, in: db) }
        },
        into: {
          hash.update($0)
          size += Int64($0.count)
        })
    }
    report.counts.bytesRead += size
    if hash.finalize() != source.digest || size != source.size {
      report.damaged(
        Self.name(source),
        "Its bytes were altered: they are not those of the file that was imported.",
        remedy: "Import the file again, or restore the store from a backup.")
    }
  }

  private static func name(_ source: SourceRow) -> String {
    "source \(source.number)" + (source.name.map { " (\($0))" } ?? "")
  }
}

extension SourceRow {
  fileprivate static func complete(after number: Int64, in db: Connection) throws -> SourceRow? {
    let find = try db.prepare(
      text: """
        SELECT \(columns) FROM source AS s WHERE s.number > ? AND s.owner IS NULL
        ORDER BY s.number LIMIT 1
        """)
    find.bind(number, at: 1)
    return try find.step() ? SourceRow(find) : nil
  }

  /// The ids of its pieces in order, the first that is missing, and how many were erased.
  fileprivate func pieces(in db: Connection) throws -> (ids: [Int64], gap: Int?, erased: Int) {
    var ids: [Int64] = []
    var erased = 0
    for stretch in try stretches(in: db) {
      let find = try db.prepare(
        "SELECT id, bytes IS NULL FROM source_piece WHERE id >= ? AND id < ? ORDER BY id")
      find.bind(stretch.lowerBound, at: 1)
      find.bind(stretch.upperBound, at: 2)
      while try find.step() {
        guard find.int64(0) & (1 << PieceID.bits - 1) == ids.count else {
          return (ids, ids.count, erased)
        }
        ids.append(find.int64(0))
        erased += find.int(1)
      }
    }
    return (ids, nil, erased)
  }
}
