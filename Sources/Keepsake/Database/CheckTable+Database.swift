import KeepsakeSQLite

extension CheckTable {
  /// Runs SQLite's own check.
  /// - Parameter quick: Whether to skip the comparison of indexes with tables.
  /// - Returns: A sentence for each fault.
  func faults(quick: Bool) throws -> [String] { try db.integrityCheck(quick: quick) }

  /// Finds the rows that refer to a row that is not there.
  func brokenReferences() throws -> [(table: String, row: Int64?, parent: String)] {
    try db.brokenForeignKeys()
  }

  /// Counts the entries, revisions and tool calls of no session, and passes each kind and its count to a closure.
  func forEachStray(_ body: (_ kind: String, _ count: Int) -> Void) throws {
    let find = try db.prepare(
      """
      SELECT 'entries', count(*) FROM entry
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = entry.id >> ?1)
      UNION ALL SELECT 'revisions', count(*) FROM revision
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = revision.entry >> ?1)
      UNION ALL SELECT 'tool calls', count(*) FROM tool_call
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = tool_call.entry >> ?1)
      """)
    find.bind(EntryID.positionBits)
    while try find.step() { body(find.text(), find.int()) }
  }

  /// Counts the keys of no session in the index of keys.
  func strayKeys() throws -> Int64 {
    try db.integer(
      """
      SELECT count(*) FROM entry_key
      WHERE NOT EXISTS (SELECT 1 FROM session WHERE number = entry_key.session)
      """) ?? 0
  }

  /// Counts the documents of the search index whose entries are not there.
  func strayDocuments() throws -> Int64 {
    try db.integer(
      """
      SELECT count(*) FROM document WHERE NOT EXISTS (
        SELECT 1 FROM entry WHERE id = document.entry AND change >= document.change)
      """) ?? 0
  }

  /// Counts the entries that the search index should hold and does not.
  func lostDocuments() throws -> Int64 {
    // Each row of the index has its sizes in a table of FTS5's.
    try db.integer(
      """
      SELECT count(*) FROM document WHERE NOT EXISTS (
        SELECT 1 FROM search_docsize WHERE id = document.number)
      AND EXISTS (SELECT 1 FROM entry WHERE id = document.entry)
      """) ?? 0
  }
}

// MARK: - The schema

extension CheckTable {
  /// Reads the schema of the database, and the one that the same migrations make anew.
  func schemas() throws -> (found: [SchemaRow], expected: [SchemaRow]) {
    let migrator = StoreSchema.migrator
    let steps = try migrator.check(db)
    let expected = try migrator.schema(steps: steps)
    return (try SchemaObject.all(in: db).map(SchemaRow.init), expected.map(SchemaRow.init))
  }
}

// MARK: - Numbers

extension CheckTable {
  /// Finds the columns of a table with numbers outside of their ranges, and passes to a closure the name of each, the
  /// number of its rows with such a number, and the least of all its numbers that are.
  func forEachStrangeNumber(
    in table: String, outside ranges: [String: ClosedRange<Int64>],
    _ body: (_ column: String, _ rows: Int, _ example: Int64) -> Void
  ) throws {
    let conditions = ranges.mapValues { "NOT BETWEEN \($0.lowerBound) AND \($0.upperBound)" }
    guard !conditions.isEmpty else { return }
    let names = conditions.keys.sorted()
    let any = names.map { "\($0) \(conditions[$0] ?? "")" }.joined(separator: " OR ")
    let look = try db.prepare(text: "SELECT 1 FROM \(table) WHERE \(any) LIMIT 1")
    guard try look.step() else { return }
    for name in names {
      let condition = conditions[name] ?? ""
      let find = try db.prepare(
        text: "SELECT count(*), min(\(name)) FROM \(table) WHERE \(name) \(condition)")
      guard try find.step() else { continue }
      let rows = find.int()
      let example = find.int64()
      if rows > 0 { body(name, rows, example) }
    }
  }
}
