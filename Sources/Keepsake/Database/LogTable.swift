#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The statements over the table of the store's log.
struct LogTable {
  let db: Connection
}

extension Tables {
  var log: LogTable { LogTable(db: connection) }
}

extension LogTable {
  /// Inserts a line. The line must not hold content of sessions.
  func insert(_ event: LogLine.Event, _ detail: [(String, JSON)], at time: Int64) throws {
    let insert = try db.prepare("INSERT INTO log (time, event, detail) VALUES (?, ?, ?)")
    insert.bind(time)
    insert.bind(event)
    insert.bind(JSON.object(detail).text)
    try insert.run()
  }

  /// Lists the lines before a number, the newest first.
  func lines(before number: Int64, atMost count: Int) throws -> [LogLine] {
    let find = try db.prepare(
      """
      SELECT number, time, event, detail FROM log WHERE number < ? ORDER BY number DESC LIMIT ?
      """)
    find.bind(number)
    find.bind(count)
    var lines: [LogLine] = []
    while try find.step() {
      let detail = try find.optionalText(3).map { text in
        do { return try JSON(validating: text) } catch {
          throw KeepsakeError(
            .damaged,
            "Line \(find.int64(0)) of the store's log is damaged.", remedy: .verify)
        }
      }
      lines.append(
        LogLine(
          number: find.int64(0), time: Date(microseconds: find.int64(1)),
          event: .init(rawValue: find.text(2)), detail: detail ?? .object([])))
    }
    return lines
  }
}
