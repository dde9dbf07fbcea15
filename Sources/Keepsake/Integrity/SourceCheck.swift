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
    let gap = pieces.indices.first { PieceID.ordinal(pieces[$0].id) != $0 }
    if let gap {
      report.damaged(Self.name(source), "Its piece \(gap) is gone.")
      return
    }
    let erased = pieces.count(where: \.isErased)
    if erased > 0 {
      report.harmless(
        Self.name(source), "\(erased) of its records were erased or deleted.",
        remedy: "Nothing to do: their content was meant to go.")
      return
    }
    guard readData else { return }
    var hash = SHA256()
    var size: Int64 = 0
    for outline in pieces {
      let piece = try core.read { db in try SourcePiece(outline.id, in: db) }
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
}
