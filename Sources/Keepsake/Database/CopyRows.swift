import KeepsakeFiles
import KeepsakeSQLite

/// The statements over all tables whose rows go into copies of sessions, and come from them.
struct CopyRows {
  let db: Connection
}

extension Tables {
  var copies: CopyRows { CopyRows(db: connection) }
}

// MARK: - Reading

extension CopyRows {
  /// Reads the record of a session; nil if there is no such session.
  func session(_ number: Int64) throws -> CopyRecord? {
    let find = try db.prepare(CopyTable.session.select)
    find.bind(number)
    return try find.step() ? CopyRecord(.session, find) : nil
  }

  /// Reads the records of a kind that tell of a session by its number alone.
  func records(_ kind: CopyRecord.Kind, of session: Int64) throws -> [CopyRecord] {
    let find = try db.prepare(kind.table.select)
    find.bind(session)
    var records: [CopyRecord] = []
    while try find.step() { records.append(try CopyRecord(kind, find)) }
    return records
  }

  /// Counts the drafts of a session.
  func drafts(of session: Int64) throws -> Int {
    let count = try db.prepare("SELECT count(*) FROM draft WHERE session = ?")
    count.bind(session)
    return try count.step() ? count.int() : 0
  }

  /// Collects the numbers of a session's attachments, and of all artifacts that it names.
  func collect(
    of session: Int64, _ recordings: inout [Int64], artifacts: inout Set<Int64>
  ) throws {
    let attached = try db.prepare("SELECT number, artifact FROM attachment WHERE session = ?")
    attached.bind(session)
    while try attached.step() {
      recordings.append(attached.int64(0))
      if let artifact = attached.optionalInt64(1) { artifacts.insert(artifact) }
    }
    let others = try db.prepare(
      """
      SELECT d.artifact FROM attachment AS a JOIN derivation AS d ON d.attachment = a.number
      WHERE a.session = ?1
      UNION
      SELECT p.artifact FROM import AS i
      JOIN source_artifact AS p ON p.source = i.source
      WHERE i.session = ?1
      """)
    others.bind(session)
    while try others.step() { artifacts.insert(others.int64()) }
  }
}

// MARK: - Writing

extension CopyRows {
  /// The numbers of a row that its record does not have.
  struct Place {
    let session: Int64
    /// The number of the file, for the row of an import.
    var source: Int64?
    /// The number of the row, if it is there already; nil where the record has it, or SQLite is to give it.
    var number: Int64?
  }

  /// Inserts a record into the table of its kind.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - values: The record's values, with numbers of this store in place of ids and digests.
  ///   - place: The numbers that the record does not have.
  /// - Returns: Whether the row was inserted; false where another one is in its place.
  func insert(_ record: CopyRecord, as values: [CopyRecord.Value], at place: Place) throws -> Bool {
    do { try write(record, as: values, at: place, by: Self.inserts) } catch {
      guard let error = error as? SQLiteError, error.isConstraint else { throw error }
      return false
    }
    return true
  }

  /// Inserts a record like ``insert(_:as:at:)``, or gives the row that has its key the record's values.
  func put(_ record: CopyRecord, as values: [CopyRecord.Value], at place: Place) throws {
    try write(
      record, as: values, at: place, by: place.number == nil ? Self.puts : Self.numberedPuts)
  }

  private func write(
    _ record: CopyRecord, as values: [CopyRecord.Value], at place: Place,
    by statements: [ComposedSQL]
  ) throws {
    let table = record.kind.table
    let write = try db.prepare(statements[record.kind.code])
    for column in table.stored {
      switch values[column] {
      case .null: write.bindNull()
      case .text(let bytes): write.bind(bytes, as: .text)
      case .integer(let number): write.bind(number)
      case .blob(let bytes): write.bind(bytes)
      }
    }
    if table.isOfSession { write.bind(place.session) }
    if let source = place.source { write.bind(source) }
    if let number = place.number { write.bind(number) }
    try write.run()
  }

  /// The statements that insert rows, by the codes of their kinds.
  private static let inserts = CopyRecord.Kind.allCases.map {
    $0.table.insertion(isReplacing: false)
  }
  /// The statements that insert rows, or change the rows that are there.
  private static let puts = CopyRecord.Kind.allCases.map {
    $0.table.insertion(isReplacing: true)
  }
  /// The statements that insert rows, or change the rows that are there, where the records don't have the numbers of their rows.
  private static let numberedPuts = CopyRecord.Kind.allCases.map {
    $0.table.insertion(isReplacing: true, isNumbered: true)
  }
}

extension CopyTable {
  /// Composes the statement that writes a record as a row.
  /// - Parameters:
  ///   - isReplacing: Whether a row with the same key gets the record's values.
  ///   - isNumbered: Whether the row gets a number that the record does not have.
  fileprivate func insertion(isReplacing: Bool, isNumbered: Bool = false) -> ComposedSQL {
    let names =
      stored.compactMap { columns[$0].column } + (isOfSession ? ["session"] : [])
      + (derived.contains("source") ? ["source"] : []) + (isNumbered ? ["number"] : [])
    let changed = names.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
    let replacing =
      "ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(changed.joined(separator: ", "))"
    return ComposedSQL(
      """
      INSERT INTO \(rows.prefix { $0 != " " }) (\(names.joined(separator: ", ")))
      VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) \(isReplacing ? replacing : "")
      """)
  }
}

extension CopyRecord {
  /// Reads a record from the current row of the kind's query.
  init(_ kind: Kind, _ row: borrowing Statement) throws {
    self.init(kind)
    for (index, column) in kind.table.columns.enumerated() where !row.isNull(index) {
      values[index] =
        switch column.meaning {
        case .integer(let range): .integer(try row.int64(index, in: range))
        case .recording: .integer(try row.int64(index, in: .row))
        case .time, .timeIfKnown, .name, .position: .integer(row.int64(index))
        case .text, .json: .text(row.bytes(index))
        case .id, .digest, .salt, .artifact, .invocation, .session, .content:
          .blob(row.bytes(index))
        }
    }
    if let column = missingColumn {
      throw KeepsakeError(
        .damaged,
        "A row of kind '\(kind.rawValue)' has lost its '\(column.name)'.", remedy: .verify)
    }
  }
}
