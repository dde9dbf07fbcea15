#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

extension Store {
  /// Lists what was done to the store, newest first, a page at a time: imports, erasures, deletions, sweeps, repairs.
  ///
  /// The cost of a page does not depend on the length of the log.
  /// - Parameters:
  ///   - limit: The most lines of a page, at least 1.
  ///   - cursor: The cursor at which the page before ended.
  /// - Returns: The page.
  /// - Throws: A ``KeepsakeError`` if the log can't be read.
  @concurrent
  public func log(limit: Int = 50, after cursor: LogLine.Cursor? = nil) async throws -> LogLine.Page
  {
    try core.read { db in
      let limit = max(1, limit)
      let find = try db.prepare(
        """
        SELECT number, time, event, detail FROM log WHERE number < ? ORDER BY number DESC LIMIT ?
        """)
      find.bind(cursor?.number ?? .max)
      find.bind(limit == .max ? .max : limit + 1)
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
      let page = Array(lines.prefix(limit))
      return LogLine.Page(
        lines: page, next: lines.count > limit ? page.last.map { .init(number: $0.number) } : nil)
    }
  }
}
