import KeepsakeFiles

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keeps the reference tables of the sessions used last, until the attachments change.
final class ReferenceTables: Sendable {
  /// A kept table, with the marks that tell whether it is still valid.
  private struct Known {
    var changes: [Int]
    let attachments: [AttachmentMark]
    let table: ReferenceTable
    var used: UInt64
  }

  /// The kept tables by session, and a count of uses to find the least recently used one.
  private struct State {
    var known: [UUID: Known] = [:]
    var uses: UInt64 = 0
  }

  /// The number of sessions whose tables are kept.
  private static let limit = 16

  private let state = Locked(State())

  /// Returns the reference table of a session as of the snapshot of a connection.
  ///
  /// The cost is a seek if nothing was written to the session since the last call, a look at the rows of all attachments if
  /// something was, and reading all attachments if one of them changed.
  func table(of session: Session, in db: Tables) throws -> ReferenceTable {
    _ = try SessionRow.entries(of: session, in: db)
    let changes = try session.lineage.pieces.map { try db.sessions.changes(of: $0.session) }
    let known = state.withLock { state -> Known? in
      state.uses += 1
      state.known[session.id]?.used = state.uses
      return state.known[session.id]
    }
    if let known, known.changes == changes { return known.table }
    let marks = try session.lineage.pieces.map { try db.attachments.mark(of: $0.session) }
    let table =
      if let known, known.attachments == marks { known.table } else {
        ReferenceTable(try session.attachments(in: db))
      }
    state.withLock { state in
      state.known[session.id] = Known(
        changes: changes, attachments: marks, table: table, used: state.uses)
      if state.known.count > Self.limit,
        let oldest = state.known.min(by: { $0.value.used < $1.value.used })?.key
      {
        state.known[oldest] = nil
      }
    }
    return table
  }
}
