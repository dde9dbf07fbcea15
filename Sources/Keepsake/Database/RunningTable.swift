#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The statements over the marks of turns that are open and of runs that have not ended.
struct RunningTable {
  let db: Connection
}

extension Tables {
  var running: RunningTable { RunningTable(db: connection) }
}

extension RunningTable {
  /// The kinds of things that go on. The numbers are stored.
  enum Kind: Int { case turn, invocation }

  /// A mark, with the id of the open store that began the turn or the run.
  struct Mark {
    let session: Int64
    let kind: Kind
    let number: Int64
    let owner: [UInt8]
  }

  /// Marks a turn or a run that begins.
  func begin(_ kind: Kind, _ number: Int64, of session: Int64, owner: UUID) throws {
    let insert = try db.prepare(
      "INSERT INTO running (session, kind, number, owner) VALUES (?, ?, ?, ?)")
    insert.bind(session)
    insert.bind(kind)
    insert.bind(number)
    insert.bind(owner.bytes)
    try insert.run()
  }

  /// Removes the mark of a turn or a run that ends.
  func end(_ kind: Kind, _ number: Int64, of session: Int64) throws {
    let delete = try db.prepare(
      "DELETE FROM running WHERE session = ? AND kind = ? AND number = ?")
    delete.bind(session)
    delete.bind(kind)
    delete.bind(number)
    try delete.run()
  }

  /// Lists the marks of a session's turns or runs, the oldest first.
  func marks(_ kind: Kind, of session: Int64) throws -> [Mark] {
    let find = try db.prepare(
      "SELECT number, owner FROM running WHERE session = ? AND kind = ? ORDER BY number")
    find.bind(session)
    find.bind(kind)
    var marks: [Mark] = []
    while try find.step() {
      marks.append(
        Mark(session: session, kind: kind, number: find.int64(), owner: find.bytes()))
    }
    return marks
  }

  /// Lists all marks of the store.
  func all() throws -> [Mark] {
    let find = try db.prepare("SELECT session, kind, number, owner FROM running")
    var marks: [Mark] = []
    while try find.step() {
      let session = find.int64()
      guard let kind = Kind(rawValue: find.int()) else { continue }
      marks.append(
        Mark(session: session, kind: kind, number: find.int64(), owner: find.bytes()))
    }
    return marks
  }
}
