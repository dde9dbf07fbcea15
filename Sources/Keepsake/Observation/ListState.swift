#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

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

  static func rows(in db: Tables) throws -> [Row] {
    let find = try db.prepare(
      text: """
        SELECT \(SessionState.columns), id, updated FROM session WHERE state = 0
        ORDER BY updated DESC, number DESC LIMIT ?
        """)
    find.bind(watched)
    var rows: [Row] = []
    while try find.step() {
      guard let id = UUID(bytes: find.bytes(6)) else { continue }
      rows.append(Row(id: id, updated: find.int64(7), state: try SessionState(find)))
    }
    return rows
  }

  mutating func setEnd(_ rows: [Row]) {
    end = rows.count < Self.watched ? nil : rows.last.map { ($0.updated, $0.state.number) }
  }
}
