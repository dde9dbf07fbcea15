import SQLite

/// What must be true of a store that only ever appended, asked of the database without the library's help.
struct DatabaseCheck {
  let store: String

  func run() throws -> [String] {
    let db = try Connection(path: store + "/store.sqlite", access: .readOnly)
    defer { db.close() }
    var faults: [String] = []
    // Both are of one transaction.
    let alone = try db.prepare(
      """
      SELECT number FROM artifact AS f
      WHERE NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = f.number)
      """)
    while try alone.step() { faults.append("artifact \(alone.int(0)) has no attachment") }
    let gap = try db.prepare(
      """
      SELECT session, max(number), count(*) FROM (
        SELECT id >> 24 AS session, id & 16777215 AS number FROM entry)
      GROUP BY session HAVING max(number) + 1 <> count(*)
      """)
    while try gap.step() {
      faults.append("session \(gap.int(0)) has \(gap.int(2)) entries up to \(gap.int(1))")
    }
    return faults
  }
}
