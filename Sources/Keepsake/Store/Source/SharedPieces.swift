import KeepsakeFiles

/// The pieces with which the newest stored file of a session and a grown one begin alike, and which are not stored again.
struct SharedPieces {
  /// The stored file, and the number of its pieces that are shared.
  private(set) var base: (number: Int64, count: Int)?
  private var ids: [Int64] = []
  private var isOver = false

  /// Shares no pieces, for a file that begins a session.
  init() {}

  /// Shares all stored pieces of a file that grew.
  init(of grown: GrownFile) {
    base = (grown.source.number, grown.pieces)
    isOver = true
  }

  /// Shares the pieces of a session's newest file that are to be found in another file.
  init(_ session: Session, _ source: ForeignSource, in db: Tables) throws {
    let newest = try db.sources.newestSource(of: session.number, format: source.format)
    guard let newest, let row = try SourceRow(newest, in: db) else { return }
    base = (row.number, 0)
    ids = try row.pieces(in: db).map(\.id)
  }

  /// Shares the next piece with a record, and returns false if they differ.
  ///
  /// The record has to be known, and to stand in the stored file in the same place, byte for byte, or to have stood there
  /// until something of it was erased.
  mutating func takes(
    _ record: SourceRecord, _ standing: PreparedRecord.Standing, handle: StoreHandle
  ) throws -> Bool {
    guard standing.isKnown, !isOver, let base, base.count < ids.count else { return false }
    let stored = try handle.read { db in try SourcePiece(ids[base.count], in: db) }
    let isErased = stored.content == nil && standing.isErased
    guard stored.entry?.position == standing.positions.first,
      stored.entries == standing.positions.count,
      try isErased || stored.says(record, handle: handle)
    else {
      isOver = true
      return false
    }
    self.base?.count += 1
    return true
  }

  /// Notes that a record is written, so that no later one is shared.
  ///
  /// Later records stand elsewhere in the file, even if their bytes are the same.
  mutating func end() { isOver = true }
}

extension SourcePiece {
  /// Tells whether a record has the bytes of this piece. An erased piece has none to compare.
  fileprivate func says(_ record: SourceRecord, handle: StoreHandle) throws -> Bool {
    guard spans.count == record.spans.count, let bytes = try content?.unpacked() else {
      return false
    }
    var start = 0
    var left = 0
    for (stored, span) in zip(spans, record.spans) {
      let count = span.range.lowerBound - start
      guard stored.position == left + count, stored.position <= bytes.count,
        stored.spelling == span.spelling,
        bytes[left..<stored.position] == record.bytes[start..<span.range.lowerBound]
      else { return false }
      left = stored.position
      start = span.range.upperBound
      var hash = SHA256()
      _ = span.spelling.decode(record.bytes[span.range]) { hash.update($0) }
      let artifact = try handle.read { db in
        try handle.artifacts.artifact(number: stored.artifact, handle: handle, in: db)
      }
      guard artifact.id.digest == hash.finalize() else { return false }
    }
    return bytes[left...] == record.bytes[start...]
  }
}
