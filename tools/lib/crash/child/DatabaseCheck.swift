import KeepsakeSQLite

/// What must be true of every store, asked of the database without the library's help.
struct DatabaseCheck {
  let store: String

  func run() throws -> [String] {
    let db = try Connection(path: store + "/store.sqlite", access: .readOnly)
    defer { db.close() }
    var faults: [String] = []
    // Both come in one transaction, and go in one.
    let alone = try db.prepare(
      """
      SELECT number FROM artifact AS f
      WHERE NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = f.number)
      """)
    while try alone.step() { faults.append("artifact \(alone.int(0)) has no attachment") }
    let gap = try db.prepare(
      """
      SELECT session, max(position), count(*) FROM (
        SELECT id >> 24 AS session, id & 16777215 AS position FROM entry) AS e
      JOIN session AS s ON s.number = e.session
      GROUP BY session HAVING max(position) + 1 - coalesce(max(s.fork_position), 0) <> count(*)
      """)
    while try gap.step() {
      faults.append("session \(gap.int(0)) has \(gap.int(2)) entries up to \(gap.int(1))")
    }
    return faults
  }
}
