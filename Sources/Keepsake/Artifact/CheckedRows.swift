import KeepsakeSQLite

/// Which rows' bytes a connection has found to be those that their artifacts' names promise, so that they need not be
/// hashed, or compared, each time.
///
/// A row is trusted while no other connection has committed to the database, which is the only way in which its bytes
/// can change other than by the disk's own failing; and no longer than until somebody finds a row that is wrong.
final class CheckedRows {
  private struct Moment: Equatable {
    /// SQLite's `data_version`, as the connection has seen it.
    var version: UInt32 = 0
    /// How often a wrong row was found.
    var alarms = 0
  }

  private var moment = Moment()
  private var numbers: Set<Int64> = []

  /// More than anybody looks at between two writes.
  private static let limit = 10_000

  /// What a connection knows; it is used by one thread at a time, and so is this.
  private static func of(_ db: Connection) -> CheckedRows {
    if let known = db.notes as? CheckedRows { return known }
    let new = CheckedRows()
    db.notes = new
    return new
  }

  /// Runs the check of a row, unless this connection made it and nobody else has changed anything since.
  ///
  /// Called while the statement that found the row still reads: then nobody has changed anything since it did.
  static func check(
    _ number: Int64, in db: Connection, alarms: Int, _ isRight: () throws -> Bool
  ) throws -> Bool {
    let known = of(db)
    let now = Moment(version: db.seenDataVersion, alarms: alarms)
    if known.moment != now {
      known.moment = now
      known.numbers.removeAll(keepingCapacity: true)
    }
    if known.numbers.contains(number) { return true }
    guard try isRight() else { return false }
    if known.numbers.count >= limit { known.numbers.removeAll(keepingCapacity: true) }
    known.numbers.insert(number)
    return true
  }
}
