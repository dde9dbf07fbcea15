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
    let find = try db.prepare(text: CopyTable.session.select)
    find.bind(number)
    return try find.step() ? CopyRecord(.session, find) : nil
  }

  /// Reads the records of a kind that tell of a session by its number alone.
  func records(_ kind: CopyRecord.Kind, of session: Int64) throws -> [CopyRecord] {
    let find = try db.prepare(text: kind.table.select)
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
  /// Inserts a record into the table of its kind.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - values: The record's values, with numbers of this store in place of ids and digests.
  ///   - others: Further columns that the record does not have.
  /// - Returns: Whether the row was inserted; false where another one is in its place.
  func insert(
    _ record: CopyRecord, as values: [CopyRecord.Value], adding others: [(String, Int64)]
  ) throws -> Bool {
    do { try write(record, as: values, adding: others, replacing: nil) } catch {
      guard let error = error as? SQLiteError, error.isConstraint else { throw error }
      return false
    }
    return true
  }

  /// Inserts a record like ``insert(_:as:adding:)``, or gives the row that has its key the record's values.
  ///
  /// - Parameter key: The columns of the table's key.
  func put(
    _ record: CopyRecord, as values: [CopyRecord.Value], adding others: [(String, Int64)],
    key: [String]
  ) throws {
    try write(record, as: values, adding: others, replacing: key)
  }

  private func write(
    _ record: CopyRecord, as values: [CopyRecord.Value], adding others: [(String, Int64)],
    replacing key: [String]?
  ) throws {
    let shape = Shape(kind: record.kind, others: others.map(\.0), key: key)
    let text = Self.texts.withLock { texts in
      if let text = texts[shape] { return text }
      let text = shape.text
      texts[shape] = text
      return text
    }
    let write = try db.prepare(text: text)
    let columns = record.kind.table.columns
    var index = 0
    for (column, value) in zip(columns, values) where column.column != nil {
      index += 1
      switch value {
      case .null: write.bindNull(at: index)
      case .text(let bytes): write.bind(bytes, at: index, as: .text)
      case .integer(let number): write.bind(number, at: index)
      case .blob(let bytes): write.bind(bytes, at: index)
      }
    }
    for (offset, other) in others.enumerated() { write.bind(other.1, at: index + 1 + offset) }
    try write.run()
  }
}

extension CopyRows {
  /// The texts of the statements that write rows. To build one takes longer than to write a row with it.
  private static let texts = Locked<[Shape: String]>([:])

  /// All that the text of a statement which writes a row depends on.
  private struct Shape: Hashable {
    let kind: CopyRecord.Kind
    let others: [String]
    let key: [String]?

    var text: String {
      let names = kind.table.columns.compactMap(\.column) + others
      let replacing = key.map { key in
        let changed = names.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
        return
          "ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(changed.joined(separator: ", "))"
      }
      return """
        INSERT INTO \(kind.table.name) (\(names.joined(separator: ", ")))
        VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) \(replacing ?? "")
        """
    }
  }
}

extension CopyTable {
  /// The name of the table for the rows.
  fileprivate var name: String { String(rows.prefix { $0 != " " }) }
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
    for (column, value) in zip(kind.table.columns, values)
    where column.isRequired && value == .null {
      throw KeepsakeError(
        .damaged,
        "A row of kind '\(kind.rawValue)' has lost its '\(column.name)'.", remedy: .verify)
    }
  }
}
