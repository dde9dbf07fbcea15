import KeepsakeFiles
import KeepsakeSQLite

/// Reads the texts of entries, as they are stored or as a fork shows them.
struct EntryTextReader {
  let db: Tables

  /// An entry with its text.
  struct Row {
    let id: EntryID
    let kind: Entry.Kind
    let created: Int64
    /// The number of the session's change that last wrote the entry.
    let change: Int
    var text = EntryText()
  }

  /// Reads an entry with its text; nil if there is no entry with the id.
  ///
  /// - Parameters:
  ///   - id: The entry's id.
  ///   - changes: The number of changes of the owning session that a fork sees; nil for all changes.
  func row(_ id: EntryID, visibleChanges changes: Int? = nil) throws -> Row? {
    let find = try db.connection.prepare(Self.selectRow)
    find.bind(id)
    return try find.step() ? row(find, visibleChanges: changes) : nil
  }

  /// The columns of an entry `e` that ``row(_:from:visibleChanges:)`` reads.
  static let columns = """
    e.id, e.kind, e.created, e.change, e.body,
    EXISTS (SELECT 1 FROM attachment WHERE session = e.id >> 24 AND entry = e.id)
    """
  private static let selectRow = ComposedSQL(
    "SELECT \(columns) FROM entry AS e WHERE e.id = ?")

  /// Reads an entry with its text from the current row of a statement, so that one query finds entries and reads texts.
  ///
  /// - Parameters:
  ///   - find: A statement with a current row.
  ///   - first: The index of the first of ``columns`` in the row.
  ///   - changes: The number of changes of the owning session that a fork sees; nil for all changes.
  func row(
    _ find: borrowing Statement, from first: Int = 0, visibleChanges changes: Int? = nil
  ) throws -> Row {
    let id = EntryID(rawValue: find.int64(first))
    var row = Row(
      id: id, kind: try .init(code: find.int(first + 1), of: Self.name(id)),
      created: find.int64(first + 2), change: find.int(first + 3))
    // An erased entry is erased in forks as well.
    if !find.isNull(first + 4) {
      let isRevised = try changes.map { try addRevision(at: $0, to: &row) } ?? false
      if !isRevised { try add(find.span(first + 4), to: &row) }
    }
    guard find.bool(first + 5) else { return row }
    for words in try attached(to: id...id, visibleChanges: changes)[id] ?? [] {
      words.add(to: &row.text)
    }
    return row
  }

  /// Reads a range of one session's entries in order, until the closure returns false.
  func rows(_ ids: ClosedRange<EntryID>, _ body: (Row) throws -> Bool) throws {
    let attached = try attached(to: ids, visibleChanges: nil)
    let find = try db.connection.prepare(
      "SELECT id, kind, created, change, body FROM entry WHERE id BETWEEN ? AND ? ORDER BY id")
    find.bind(ids.lowerBound)
    find.bind(ids.upperBound)
    while try find.step() {
      let id = find.entryID(0)
      var row = Row(
        id: id, kind: try .init(code: find.int(1), of: Self.name(id)), created: find.int64(2),
        change: find.int(3))
      if !find.isNull(4) { try add(find.span(4), to: &row) }
      for words in attached[id] ?? [] { words.add(to: &row.text) }
      guard try body(row) else { return }
    }
  }

  private func add(_ body: RawSpan, to row: inout Row) throws {
    do {
      try row.text.add(body: body, of: row.kind, largeText: largeText)
    } catch let error as JSONError {
      throw KeepsakeError(
        .damaged, "\(Self.name(row.id)) is damaged: \(error.message.clause).", remedy: .verify
      )
    }
  }

  /// Adds the text that the parent's entry had when the fork was made; false if that text is still the present one.
  private func addRevision(at change: Int, to row: inout Row) throws -> Bool {
    let find = try db.connection.prepare(
      "SELECT body FROM revision WHERE entry = ? AND until > ? ORDER BY until LIMIT 1")
    find.bind(row.id)
    find.bind(change)
    guard try find.step() else { return false }
    if !find.isNull(0) { try add(find.span(0), to: &row) }
    return true
  }

  /// Returns the beginning of a text that is kept as an artifact; empty if the file is lost or damaged.
  ///
  /// A search goes on without the text. The loss is reported by `verify` and by reading the entry.
  private func largeText(_ id: Artifact.ID) throws -> [UInt8] {
    guard let slash = db.connection.path.lastIndex(of: "/") else { return [] }
    do {
      let hex = id.digest.hex
      let file = try Directory(path: String(db.connection.path[..<slash]))
        .subdirectory(StoreLayout.artifacts, create: false)
        .subdirectory(String(hex.prefix(2)), create: false)
        .openFile(String(hex.dropFirst(2)), for: .reading)
      guard try Ingest.hash(file).digest == id.digest else { return [] }
      var text = [UInt8](repeating: 0, count: EntryText.largeTextLimit)
      text.removeSubrange(try file.read(into: &text, at: 0)...)
      // Reading may have cut the last character.
      while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() }
      if let last = text.last, last >= 0xC0 { text.removeLast() }
      return text
    } catch {
      switch error.code {
      case .notFound, .notRegular, .link, .permissionDenied: return []
      default: throw error
      }
    }
  }

  /// The searchable words of an attachment.
  private struct Words {
    let label: String?
    let fileName: String?
    let captions: String?

    func add(to text: inout EntryText) {
      text.add(label: label, fileName: fileName, captions: captions)
    }
  }

  private func attached(to ids: ClosedRange<EntryID>, visibleChanges changes: Int?) throws
    -> [EntryID: [Words]]
  {
    var attached: [EntryID: [Words]] = [:]
    let find = try db.connection.prepare(
      """
      SELECT entry, label, file_name, captions FROM attachment
      WHERE session = ? AND entry BETWEEN ? AND ? AND direction <> ?
        AND recorded <= ?
      ORDER BY entry, number
      """)
    find.bind(ids.lowerBound.session)
    find.bind(ids.lowerBound)
    find.bind(ids.upperBound)
    find.bind(Entry.Attachment.Direction.content.code)
    find.bind(changes ?? .max)
    while try find.step() {
      let entry = find.entryID()
      attached[entry, default: []].append(
        Words(
          label: find.optionalText(), fileName: find.optionalText(),
          captions: find.optionalText()))
    }
    return attached
  }

  private static func name(_ id: EntryID) -> String {
    "The entry at position \(id.position) of session number \(id.session)"
  }
}
