#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
    try handle.read { db in
      let limit = max(1, limit)
      let lines = try db.log.lines(
        before: cursor?.number ?? .max, atMost: limit == .max ? .max : limit + 1)
      let page = Array(lines.prefix(limit))
      return LogLine.Page(
        lines: page, next: lines.count > limit ? page.last.map { .init(number: $0.number) } : nil)
    }
  }
}
