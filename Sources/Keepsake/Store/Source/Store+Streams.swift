extension Store {
  /// Returns a stream that a program hands over record by record; nil if there never was one.
  @concurrent
  package func stream(_ key: StreamKey) async throws -> StoredStream? {
    let handle = handle
    return try handle.read { db in
      try StreamRow(key, in: db).map { try StoredStream($0, handle: handle, in: db) }
    }
  }

  /// Returns the streams of a project, or of one conversation in it.
  @concurrent
  package func streams(ofProject project: String, session: String? = nil) async throws
    -> [StoredStream]
  {
    let handle = handle
    return try handle.read { db in
      try StreamRow.all(project: project, session: session, in: db).map {
        try StoredStream($0, handle: handle, in: db)
      }
    }
  }

  /// Hands over the records of a stream, as they were added, with the separators between them. Erased records are left
  /// out.
  package func replay(_ stream: StoredStream, into take: ([UInt8]) throws -> Void) throws {
    let handle = handle
    guard let number = stream.source else { return }
    let pieces = try handle.read { db in
      try SourceRow(number, in: db)?.pieces(in: db).filter { !$0.isErased } ?? []
    }
    for outline in pieces {
      try Task.checkCancellation()
      let piece = try handle.read { db in try SourcePiece(outline.id, in: db) }
      try piece.replay(
        artifact: { number in
          try handle.read { db in
            try handle.artifacts.artifact(number: number, handle: handle, in: db)
          }
        }, into: take)
    }
  }

  /// Deletes streams for the program that they came from. Their sessions stay.
  @concurrent
  package func delete(_ streams: [StreamKey]) async throws {
    let handle = handle
    try await handle.write { change in
      try handle.refuseIfShared("Deleting a stream")
      for key in streams { try StreamRow(key, in: change.db)?.delete(in: change.db) }
    }
  }
}
