import KeepsakeFiles

/// Checks that the files that entries were imported from are here, piece for piece, and, if asked, to the byte.
struct SourceCheck {
  let handle: StoreHandle
  let readData: Bool
  private var last = Int64.min

  init(handle: StoreHandle, readData: Bool) {
    self.handle = handle
    self.readData = readData
  }

  /// Checks the next source; false at the end.
  mutating func next(report: inout VerifyReport) throws -> Bool {
    let number = try handle.read { db in try db.checks.source(after: last) }
    guard let number else { return false }
    last = number
    report.counts.sources += 1
    do {
      guard let found = try handle.read({ db in try SourceRow(number, in: db) }) else {
        return true
      }
      try check(found, &report)
    } catch let error as KeepsakeError {
      // The source may have been deleted meanwhile.
      guard try handle.read({ db in try db.checks.hasSource(number) }) else { return true }
      report.damaged("source \(number)", error.failure)
    }
    return true
  }

  /// Checks a source that does not count as complete yet.
  /// - Parameters:
  ///   - number: The source.
  ///   - identity: What tells the records of its format from others.
  ///   - report: Takes what is found.
  /// - Returns: How the source begins, where all of it is there; nil where a part is gone, for which nothing vouches.
  func check(
    restored number: Int64, identity: (String) -> RecordIdentity?, report: inout VerifyReport
  ) throws -> Beginnings? {
    guard let found = try handle.read({ db in try SourceRow(number, in: db) }) else { return nil }
    guard var identity = identity(found.format) else {
      try check(found, &report)
      return nil
    }
    var beginnings = Beginnings(format: found.format)
    let isWhole = try check(found, &report) { piece, bytes in
      guard let positions = piece.positions, let entry = piece.entry else { return }
      beginnings.add(
        identity.digest(ofRecordIn: bytes),
        hasPrompt: try handle.read { db in
          try db.checks.hasPrompt(positions, of: entry.session)
        })
    }
    return isWhole ? beginnings : nil
  }

  /// - Parameter each: Takes each record, with all its bytes, as long as all of the source is there.
  /// - Returns: Whether all bytes of the source were read, and are those of the file.
  @discardableResult
  private func check(
    _ source: SourceRow, _ report: inout VerifyReport,
    each: ((SourcePiece.Outline, [UInt8]) throws -> Void)? = nil
  ) throws -> Bool {
    let pieces = try handle.read { db in try source.pieces(in: db) }
    let gap = pieces.indices.first { PieceID.ordinal(pieces[$0].id) != $0 }
    if let gap {
      report.damaged(Self.name(source), "Its piece \(gap) is gone.")
      return false
    }
    let areSpansSound = try handle.read { db in
      try SpanCheck(source: source.number, name: Self.name(source), db: db).run(&report)
    }
    guard areSpansSound else { return false }
    let erased = pieces.count(where: \.isErased)
    if erased > 0 {
      report.harmless(
        Self.name(source), "\(erased) of its records were erased or deleted.",
        remedy: "Nothing to do: their content was meant to go.")
      return false
    }
    guard readData else { return false }
    var hash = SHA256()
    var size: Int64 = 0
    for outline in pieces {
      let piece = try handle.read { db in try SourcePiece(outline.id, in: db) }
      var whole: [UInt8] = []
      try piece.replay(
        artifact: { number in
          try handle.read { db in
            try handle.artifacts.artifact(number: number, handle: handle, in: db)
          }
        },
        into: {
          hash.update($0)
          size += Int64($0.count)
          if each != nil { whole += $0 }
        })
      try each?(outline, whole)
    }
    report.counts.bytesRead += size
    let isWhole = hash.finalize() == source.digest && size == source.size
    if !isWhole {
      report.damaged(
        Self.name(source),
        "Its bytes were altered: they are not those of the file that was imported.",
        remedy: "Import the file again, or restore the store from a backup.")
    }
    return isWhole
  }

  private static func name(_ source: SourceRow) -> String {
    "source \(source.number)" + (source.name.map { " (\($0))" } ?? "")
  }
}
