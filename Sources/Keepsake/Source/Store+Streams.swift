#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// A stream as it is stored.
package struct StoredStream: Sendable {
  package let key: StreamKey
  /// The session that its records became; nil where the program deleted the stream.
  package let session: Session?
  /// How often something was added.
  package let appends: Int
  /// When something was added last.
  package let updated: Date
  /// The program's own summary, as it gave it.
  package let summary: String?
  /// The number of the source that holds its records.
  let source: Int64?
  /// The size of all its records, of which some may have been erased.
  package let size: Int64
  package let state: State?

  /// What is the same as long as nothing is added to a stream and nothing of it is erased.
  package struct State: Sendable, Hashable {
    /// Of all its records.
    let digest: SHA256Digest
    /// How many changes its session has.
    let changes: Int
  }
}

extension Store {
  /// A stream that a program hands over record by record; nil where there never was one.
  @concurrent
  package func stream(_ key: StreamKey) async throws -> StoredStream? {
    let core = core
    return try core.read { db in
      try StreamRow(key, in: db).map { try StoredStream($0, core: core, in: db) }
    }
  }

  /// The streams of a project, or of one conversation in it.
  @concurrent
  package func streams(ofProject project: String, session: String? = nil) async throws
    -> [StoredStream]
  {
    let core = core
    return try core.read { db in
      try StreamRow.all(project: project, session: session, in: db).map {
        try StoredStream($0, core: core, in: db)
      }
    }
  }

  /// Hands over the records of a stream, as they were added, with what separates them. What was erased of them is left
  /// out.
  package func replay(_ stream: StoredStream, into take: ([UInt8]) throws -> Void) throws {
    let core = core
    guard let number = stream.source else { return }
    let pieces = try core.read { db in
      try SourceRow(number, in: db)?.pieces(in: db).filter { !$0.isErased } ?? []
    }
    for outline in pieces {
      try Task.checkCancellation()
      let piece = try core.read { db in try SourcePiece(outline.id, in: db) }
      try piece.replay(
        artifact: { number in
          try core.read { db in try core.artifacts.artifact(number: number, core: core, in: db) }
        }, into: take)
    }
  }

  /// Deletes streams for the program that they came from. Their sessions stay.
  @concurrent
  package func delete(_ streams: [StreamKey]) async throws {
    try await core.write { change in
      for key in streams { try StreamRow(key, in: change.db)?.delete(in: change.db) }
    }
  }
}

extension StoredStream {
  fileprivate init(_ row: StreamRow, core: StoreCore, in db: Tables) throws {
    var session: Session?
    var source: SourceRow?
    var changes = 0
    if let number = row.import {
      let taken = try ImportRow(number, in: db)
      source = try SourceRow(taken.source, in: db)
      let found = try Session(number: taken.session, core: core, in: db)
      changes = try SessionRow(found, in: db).chain.count
      session = found
    }
    self.init(
      key: row.key, session: session, appends: row.appends,
      updated: Date(microseconds: row.updated), summary: row.summary, source: source?.number,
      size: source?.size ?? 0,
      state: source.map { State(digest: $0.digest, changes: changes) })
  }
}
