import KeepsakeSQLite

/// Which sources hold which artifacts: the rows of `source_artifact`, one for each artifact that the spans of a source's
/// own pieces name, with how many pieces do.
///
/// By them it is known whether an artifact is used. A value of this type collects what one transaction adds, so that an
/// artifact costs a statement once, however many pieces name it.
struct SourceArtifacts {
  private var added: [Row: Int64] = [:]

  private struct Row: Hashable {
    let artifact: Int64
    let source: Int64
  }

  /// Counts a piece that a source is given. It is listed by ``write(in:)``, in the same transaction.
  mutating func add(_ spans: [SourcePiece.Span], of source: Int64) {
    for artifact in Set(spans.map(\.artifact)) {
      added[Row(artifact: artifact, source: source), default: 0] += 1
    }
  }

  func write(in db: Tables) throws {
    for (row, pieces) in added {
      let insert = try db.prepare(
        """
        INSERT INTO source_artifact (artifact, source, pieces) VALUES (?, ?, ?)
        ON CONFLICT (artifact, source) DO UPDATE SET pieces = pieces + excluded.pieces
        """)
      insert.bind(row.artifact)
      insert.bind(row.source)
      insert.bind(pieces)
      try insert.run()
    }
  }

  /// Takes pieces out of the list that are gone; an artifact that no other piece of the source has is no longer on it.
  /// - Parameter pieces: The spans of each.
  static func remove(
    _ pieces: [[SourcePiece.Span]], of source: Int64, leaving unused: inout UnusedArtifacts,
    in db: Tables
  ) throws {
    var lost: [Int64: Int64] = [:]
    for spans in pieces {
      for artifact in Set(spans.map(\.artifact)) { lost[artifact, default: 0] += 1 }
    }
    for (artifact, count) in lost {
      let update = try db.prepare(
        """
        UPDATE source_artifact SET pieces = pieces - ? WHERE artifact = ? AND source = ?
        RETURNING pieces
        """)
      update.bind(count)
      update.bind(artifact)
      update.bind(source)
      guard try update.step() else { continue }
      let left = update.int64()
      update.reset()
      if left > 0 { continue }
      try remove(artifact, of: source, in: db)
      unused.add(artifact)
    }
  }

  /// Takes artifacts off the list of a source that has no pieces any more, as many as there is room for.
  static func removeAll(
    of source: Int64, _ room: inout RemovalRoom, leaving unused: inout UnusedArtifacts,
    in db: Tables
  ) throws {
    // The bytes of a file go without the log.
    let find = try db.prepare(
      """
      SELECT x.artifact, iif(f.place = 0, f.size, 0) FROM source_artifact AS x
      LEFT JOIN artifact AS f ON f.number = x.artifact WHERE x.source = ?
      """)
    find.bind(source)
    var artifacts: [Int64] = []
    while try room.isLeft && find.step() {
      artifacts.append(find.int64())
      room.take(rows: 1, bytes: find.int64())
    }
    find.reset()
    for artifact in artifacts {
      try remove(artifact, of: source, in: db)
      unused.add(artifact)
    }
  }

  private static func remove(_ artifact: Int64, of source: Int64, in db: Tables) throws {
    let delete = try db.prepare("DELETE FROM source_artifact WHERE artifact = ? AND source = ?")
    delete.bind(artifact)
    delete.bind(source)
    try delete.run()
  }
}
