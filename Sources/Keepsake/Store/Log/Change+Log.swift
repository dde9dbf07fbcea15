extension Change {
  /// Adds a line to the store's log. The line must not hold content of sessions.
  func log(_ event: LogLine.Event, _ detail: [(String, JSON)]) throws {
    try locally { try LogLine.add(event, detail, at: $0.now(), in: $0.db) }
  }
}

extension LogLine {
  /// Adds a line to the store's log outside of a request.
  static func add(
    _ event: Event, _ detail: [(String, JSON)], at time: Int64, in db: Tables
  ) throws {
    try db.log.insert(event, detail, at: time)
  }
}
