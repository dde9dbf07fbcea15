#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

// An observer compares these, to find changes of other processes.
extension SessionTable {
  /// Finds the number of the newest session; 0 if there is none.
  func newest() throws -> Int64 { try db.integer("SELECT max(number) FROM session") ?? 0 }

  /// Finds the sessions that are being imported or restored.
  func unfinished() throws -> Set<Int64> {
    let hidden = try db.prepare("SELECT number FROM session WHERE state IN (1, 3)")
    var numbers: Set<Int64> = []
    while try hidden.step() { numbers.insert(hidden.int64()) }
    return numbers
  }

  /// Passes the sessions that were made after one to a closure, in their order.
  func forEachNew(
    after number: Int64, _ body: (_ number: Int64, _ id: UUID?, SessionPresence?) -> Void
  ) throws {
    let created = try db.prepare(
      "SELECT number, id, state FROM session WHERE number > ? ORDER BY number")
    created.bind(number)
    while try created.step() {
      body(created.int64(), UUID(bytes: created.span()), SessionPresence(rawValue: created.int()))
    }
  }

  /// Reads the id and the presence of a session; nil if it has no row.
  func presence(of number: Int64) throws -> (id: UUID?, presence: SessionPresence?)? {
    let find = try db.prepare("SELECT id, state FROM session WHERE number = ?")
    find.bind(number)
    guard try find.step() else { return nil }
    return (UUID(bytes: find.span()), SessionPresence(rawValue: find.int()))
  }

  /// Reads the state of a session without its detail; nil if the session was deleted.
  func observedState(of id: UUID) throws -> SessionState? {
    let find = try db.prepare(
      text: "SELECT \(SessionState.columns) FROM session WHERE id = ? AND state < 2")
    find.bind(id.bytes)
    return try find.step() ? SessionState(find) : nil
  }

  /// Reads the states of the sessions that were active last.
  func mostRecent(_ count: Int) throws -> [ListState.Row] {
    let find = try db.prepare(
      text: """
        SELECT \(SessionState.columns), id, updated FROM session WHERE state = 0
        ORDER BY updated DESC, number DESC LIMIT ?
        """)
    find.bind(count)
    var rows: [ListState.Row] = []
    while try find.step() {
      guard let id = UUID(bytes: find.bytes(6)) else { continue }
      rows.append(
        ListState.Row(id: id, updated: find.int64(7), state: try SessionState(find)))
    }
    return rows
  }

  /// Hashes the tags and the metadata of a session.
  func hashDescription(of number: Int64) throws -> Int {
    var hasher = Hasher()
    for tag in try tags(of: number) { hasher.combine(tag) }
    if let metadata = try metadata(of: number) { hasher.combine(metadata) }
    return hasher.finalize()
  }
}

extension SessionState {
  fileprivate static let columns = "number, entries, attachments, turns, changes, title"

  /// Reads the current row of a statement whose first columns are `columns`.
  fileprivate init(_ row: borrowing Statement) throws {
    self.init(
      number: try row.int64(in: .session), entries: try row.int(in: .entries),
      attachments: try row.int(in: .count), turns: try row.int(in: .count),
      changes: try row.int(in: .count), title: row.optionalText())
  }
}
