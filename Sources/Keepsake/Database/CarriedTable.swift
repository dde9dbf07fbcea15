/// A table whose rows go into commits, with the SQL that names a row of it.
///
/// In the expressions `$` stands for the row.
struct CarriedTable: Sendable {
  let name: String
  /// The kind of the record that says the row.
  let kind: CopyRecord.Kind
  /// The number of the row's session.
  let session: String
  /// The SQL expression for the first part of the row's name, which is the same in every store.
  let first: String
  let second: String
  /// The SQL expression for the row's number or id in this store.
  let row: String
  /// An update lists a row only if it sets one of these columns; nil if any column counts.
  let columns: [String]?
  /// The condition for the rows that count.
  let condition: String
  /// The table with which the row has to be joined as `i`, so that the expressions can be told; nil for none.
  let source: String?

  private init(
    _ name: String, _ kind: CopyRecord.Kind, session: String = "$.session", first: String,
    second: String = "0", row: String = "0", of columns: [String]? = nil,
    where condition: String = "1", from source: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.session = session
    self.first = first
    self.second = second
    self.row = row
    self.columns = columns
    self.condition = condition
    self.source = source
  }

  /// All tables whose rows go into commits.
  static let all: [CarriedTable] = [
    // Each change of a session changes its counters, and seldom what describes it.
    CarriedTable(
      "session", .session, session: "$.number", first: "0", of: CopyTable.session.description),
    CarriedTable("session", .standing, session: "$.number", first: "0"),
    CarriedTable("session_metadata", .session, first: "0"),
    CarriedTable("tag", .session, first: "0", where: "$.entry = -1"),
    CarriedTable("saved", .saved, first: "0"),
    CarriedTable("turn", .turn, first: "$.number"),
    CarriedTable("invocation", .invocation, first: "$.recorded", row: "$.number"),
    CarriedTable(
      "entry", .entry, session: "$.id >> 24", first: "$.id & \(EntryID.maximumPosition)",
      row: "$.id"),
    // A number that is reserved for an attachment to come has nothing recorded.
    CarriedTable(
      "attachment", .attachment, first: "$.recorded", row: "$.number", where: "$.recorded > 0"),
    CarriedTable(
      "revision", .revision, session: "$.entry >> 24",
      first: "$.entry & \(EntryID.maximumPosition)",
      second: "$.number", row: "$.entry"),
    CarriedTable("import", .source, first: "$.recorded", row: "$.number"),
    CarriedTable(
      "source", .source, session: "i.session", first: "i.recorded", row: "i.number",
      from: "import AS i WHERE i.source = $.number"),
    // The session of a file that is being imported is not known before the end. Until then its pieces are of session 0.
    CarriedTable(
      "source_piece", .piece, session: "0", first: "$.id >> \(PieceID.bits)",
      second: "$.id & \(PieceID.limit - 1)", row: "$.id"),
    CarriedTable("change", .change, first: "$.number"),
  ]
}

// MARK: - Triggers

extension CarriedTable {
  /// The statements that make the triggers which note each row that changes.
  var triggers: String {
    [("insert", "NEW"), ("update", "NEW"), ("delete", "OLD")].map { event, row in
      trigger(event).replacing("$", with: row)
    }.joined(separator: "\n")
  }

  /// The statement that makes the trigger which lists a changed row, unless the row is listed already.
  ///
  /// `OR IGNORE` would not do: the statement that fires a trigger decides what the trigger's own statements do about a conflict. Where no
  /// other table is needed, the condition of the trigger looks whether the row is listed: a statement that reads the table into which it
  /// inserts makes a temporary table each time.
  private func trigger(_ event: String) -> String {
    let row = "\(session), \(kind.code), \(first), \(second), \(self.row)"
    let isNew = """
      NOT EXISTS (SELECT 1 FROM unsent AS t
        WHERE t.session = \(session) AND t.kind = \(kind.code) AND t.first = \(first) AND t.second = \(second))
      """
    let (isWanted, insert) =
      if let source {
        (condition, "INSERT INTO unsent SELECT \(row) FROM \(source) AND \(isNew)")
      } else {
        ("\(condition) AND \(isNew)", "INSERT INTO unsent VALUES (\(row))")
      }
    let columns = event == "update" ? columns.map { " OF \($0.joined(separator: ", "))" } ?? "" : ""
    return """
      CREATE TEMP TRIGGER unsent_\(name)_\(kind.rawValue)_\(event) AFTER \(event)\(columns) ON main.\(name)
        WHEN \(UnsentTable.listing) AND \(isWanted)
        BEGIN \(insert); END;
      """
  }
}

extension CarriedTable {
  /// The statement that lists all rows of a session.
  func listing(of number: Int64) -> String {
    let row = "x"
    let session = session.replacing("$", with: row)
    let isPiece = kind == .piece
    let from = source.map {
      "import AS i JOIN \(name) AS x ON \($0.replacing("import AS i WHERE ", with: "").replacing("$", with: row))"
    }
    return """
      INSERT OR IGNORE INTO unsent SELECT \(session), \(kind.code), \(first.replacing("$", with: row)),
        \(second.replacing("$", with: row)), \(self.row.replacing("$", with: row))
      FROM \(from ?? "\(name) AS x") WHERE \(condition.replacing("$", with: row)) AND \(isPiece
        ? "x.id >> \(PieceID.bits) IN (SELECT source FROM import WHERE session = \(number))" : "\(session) = \(number)")
      """
  }
}

extension CopyRecord.Kind {
  /// The number that stands for the kind in the list of unsent rows, which a store keeps. The numbers follow the order of `allCases`.
  var code: Int {
    switch self {
    case .session: 0
    case .turn: 1
    case .invocation: 2
    case .entry: 3
    case .attachment: 4
    case .revision: 5
    case .source: 6
    case .piece: 7
    case .span: 8
    case .change: 9
    case .standing: 10
    case .recognition: 11
    case .saved: 12
    }
  }
}
