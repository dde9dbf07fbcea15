#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

/// A stream as it is stored.
package struct StoredStream: Sendable {
  package let key: StreamKey
  /// The session that the records became; nil where the program deleted the stream.
  package let session: Session?
  /// The number of times that something was added.
  package let appends: Int
  /// The time at which something was added last.
  package let updated: Date
  /// The program's own summary, as it gave it.
  package let summary: String?
  /// The number of the source that holds the records.
  let source: Int64?
  /// The size of all records, of which some may have been erased.
  package let size: Int64
  package let state: State?

  /// A value that stays equal as long as nothing is added to a stream and nothing of it is erased.
  package struct State: Sendable, Hashable {
    /// The digest of all records.
    let digest: SHA256Digest
    /// The number of changes that the stream's session has.
    let changes: Int
  }
}

extension StoredStream {
  /// Reads a stream with its session and its source.
  init(_ row: StreamRow, handle: StoreHandle, in db: Tables) throws {
    var session: Session?
    var source: SourceRow?
    var changes = 0
    if let number = row.import {
      let taken = try ImportRow(number, in: db)
      source = try SourceRow(taken.source, in: db)
      let found = try Session(number: taken.session, handle: handle, in: db)
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
