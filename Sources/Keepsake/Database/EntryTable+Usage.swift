import KeepsakeSQLite

extension EntryTable {
  /// Passes the answers that report their usage to a closure, with their bodies, except those that an import still hides.
  /// - Parameters:
  ///   - ids: The ids of the entries that are looked at; nil for all.
  ///   - since: The least time of an answer.
  ///   - until: The time before which the answers were.
  ///   - body: Receives each answer and its body.
  func forEachUsage(
    in ids: ClosedRange<EntryID>?, since: Int64, until: Int64,
    _ body: (UsageRow, RawSpan) throws -> Void
  ) throws {
    let find = try db.prepare(
      """
      SELECT e.id, e.created, e.model, e.body, s.state = 0, s.origin FROM entry AS e
      JOIN session AS s ON s.number = e.id >> 24
      WHERE e.id BETWEEN ?1 AND ?2 AND e.created >= ?3 AND e.created < ?4
        AND instr(e.body, '"usage":') > 0 AND s.state IN (0, 2)
      """)
    find.bind(ids?.lowerBound.rawValue ?? .min)
    find.bind(ids?.upperBound.rawValue ?? .max)
    find.bind(since)
    find.bind(until)
    while try find.step() {
      let row = UsageRow(
        id: find.entryID(0), created: find.int64(1), model: find.optionalText(2),
        origin: find.optionalText(5), isListed: find.bool(4))
      try body(row, find.span(3))
    }
  }
}
