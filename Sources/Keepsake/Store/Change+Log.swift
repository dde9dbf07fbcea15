import SQLite

extension Change {
  /// Adds a line to the store's record of what was done to it. It holds no content of sessions.
  func log(_ event: String, _ detail: [(String, JSON)], at time: Int64) throws {
    let insert = try db.prepare("INSERT INTO log (time, event, detail) VALUES (?, ?, ?)")
    insert.bind(time, at: 1)
    insert.bind(event, at: 2)
    insert.bind(JSON.object(detail).text, at: 3)
    try insert.run()
  }
}
