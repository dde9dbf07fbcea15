#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The state of the list of sessions, as an observer of all sessions knows it.
struct ListState: Sendable {
  /// The number of sessions that are watched for changes of other processes: the most recently active ones.
  static let watched = 256

  /// The number of the newest session.
  var newest: Int64 = 0
  /// The sessions that an import still hides.
  var hidden: Set<Int64> = []
  /// The place in the list after the last watched session; nil if all sessions are watched.
  var end: (updated: Int64, number: Int64)?

  /// A row of the list.
  struct Row {
    let id: UUID
    let updated: Int64
    let state: SessionState
  }

  mutating func setEnd(_ rows: [Row]) {
    end = rows.count < Self.watched ? nil : rows.last.map { ($0.updated, $0.state.number) }
  }
}
