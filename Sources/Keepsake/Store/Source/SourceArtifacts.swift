/// The artifacts that one transaction adds to sources: each with the number of pieces that name it.
///
/// The table `source_artifact` tells by them whether an artifact is used. They are collected, so that an artifact costs a
/// statement once, however many pieces name it.
struct SourceArtifacts {
  private var added: [Row: Int64] = [:]

  private struct Row: Hashable {
    let artifact: Int64
    let source: Int64
  }

  /// Counts a piece that a source is given. ``write(in:)`` lists it in the same transaction.
  mutating func add(_ spans: [SourcePiece.Span], of source: Int64) {
    for artifact in Set(spans.map(\.artifact)) {
      added[Row(artifact: artifact, source: source), default: 0] += 1
    }
  }

  /// Lists all artifacts that were counted.
  func write(in db: Tables) throws {
    for (row, pieces) in added {
      try db.sources.list(row.artifact, of: row.source, pieces: pieces)
    }
  }

  /// Takes pieces that are gone out of the list of a source. An artifact that no other piece of the source names is taken
  /// off the list.
  ///
  /// - Parameters:
  ///   - pieces: The spans of each piece.
  ///   - source: The source.
  ///   - unused: Takes the artifacts that may have lost their last use.
  ///   - db: The tables.
  static func remove(
    _ pieces: [[SourcePiece.Span]], of source: Int64, leaving unused: inout UnusedArtifacts,
    in db: Tables
  ) throws {
    var lost: [Int64: Int64] = [:]
    for spans in pieces {
      for artifact in Set(spans.map(\.artifact)) { lost[artifact, default: 0] += 1 }
    }
    for (artifact, count) in lost {
      guard let left = try db.sources.unlist(artifact, of: source, pieces: count), left <= 0 else {
        continue
      }
      try db.sources.delete(artifact, of: source)
      unused.add(artifact)
    }
  }

  /// Takes artifacts off the list of a source that has no pieces any more, as many as there is room for.
  static func removeAll(
    of source: Int64, _ room: inout RemovalRoom, leaving unused: inout UnusedArtifacts,
    in db: Tables
  ) throws {
    for artifact in try db.sources.artifacts(of: source, within: &room) {
      try db.sources.delete(artifact, of: source)
      unused.add(artifact)
    }
  }
}
