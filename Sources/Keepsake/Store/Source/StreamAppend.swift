#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The facts about an append to a stream, beside its records.
package struct StreamAppend: Sendable {
  package var key: StreamKey
  /// The number of appends to the stream when its summary was made; nil where it has no summary.
  package var seen: Int?
  /// The program's own summary of the stream; nil to leave it as it is.
  package var summary: String?
  /// Tells whether something that stands before the records never came.
  package var hasGap: Bool
  /// Tells whether the records begin a session of their own, whatever is stored.
  package var isApart: Bool

  package init(
    to key: StreamKey, seen: Int? = nil, summary: String? = nil, hasGap: Bool = false,
    isApart: Bool = false
  ) {
    self.key = key
    self.seen = seen
    self.summary = summary
    self.hasGap = hasGap
    self.isApart = isApart
  }
}

extension StreamAppend {
  /// Notes that something was added to the stream, and checks that nobody else had a part in it.
  ///
  /// - Parameters:
  ///   - number: The import whose source now holds the records of the stream.
  ///   - session: The session of the import.
  ///   - change: The change.
  func note(import number: Int64, of session: Session, in change: Change) throws {
    let db = change.db
    let former = try StreamRow(key, in: db)
    if summary != nil, let seen, seen != former?.appends ?? 0 { throw StreamError.grown }
    if try StreamRow.isTaken(session: session.number, besides: key, in: db) {
      throw StreamError.taken
    }
    try StreamRow.save(key, import: number, at: change.now(), summary: summary, in: db)
    if hasGap {
      try change.log(.gap, [("session", .string(session.id.text))])
    }
  }
}
