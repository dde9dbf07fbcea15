import KeepsakeFiles
import KeepsakeSQLite

/// Reads the texts of entries, as they are stored or as a fork shows them.
struct EntryTextReader {
  let db: Connection

  struct Row {
    let id: EntryID
    let kind: Entry.Kind
    let created: Int64
    /// The change of the session that last wrote the entry.
    let change: Int
    var text = EntryText()
  }

  /// One entry with its text; nil where there is none with this id.
  /// - Parameter changes: The changes of the owning session that a fork sees; nil for all of them.
  func row(_ id: EntryID, visibleChanges changes: Int? = nil) throws -> Row? {
    let find = try db.prepare(text: Self.selectRow)
    find.bind(id)
    return try find.step() ? row(find, visibleChanges: changes) : nil
  }

  /// What ``row(_:from:visibleChanges:)`` reads of an entry `e`.
  static let columns = """
    e.id, e.kind, e.created, e.change, e.body,
    EXISTS (SELECT 1 FROM attachment WHERE session = e.id >> 24 AND entry = e.id)
    """
  private static let selectRow = "SELECT \(columns) FROM entry AS e WHERE e.id = ?"

  /// The entry whose columns stand in a statement's row, so that what finds entries gives their texts, too.
  ///
  /// - Parameters:
  ///   - find: A statement that stands on a row.
  ///   - first: Where in it ``columns`` begin.
  ///   - changes: The changes of the owning session that a fork sees; nil for all of them.
  func row(
    _ find: borrowing Statement, from first: Int = 0, visibleChanges changes: Int? = nil
  ) throws -> Row {
    let id = EntryID(rawValue: find.int64(first))
    var row = Row(
      id: id, kind: try .init(code: find.int(first + 1), of: Self.name(id)),
      created: find.int64(first + 2), change: find.int(first + 3))
    // What is erased is erased in forks too.
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

  /// Reads a stretch of one session's entries in their order, until `body` gives false.
  func rows(_ ids: ClosedRange<EntryID>, _ body: (Row) throws -> Bool) throws {
    let attached = try attached(to: ids, visibleChanges: nil)
    let find = try db.prepare(
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

  /// A fork shows what its parent's entry was when it forked; false when that is what it is now.
  private func addRevision(at change: Int, to row: inout Row) throws -> Bool {
    let find = try db.prepare(
      "SELECT body FROM revision WHERE entry = ? AND until > ? ORDER BY until LIMIT 1")
    find.bind(row.id)
    find.bind(change)
    guard try find.step() else { return false }
    if !find.isNull(0) { try add(find.span(0), to: &row) }
    return true
  }

  /// The beginning of a text that is kept as an artifact; nothing where its file is lost or was altered.
  ///
  /// Search goes on without it: it is for `verify` and for whoever reads the entry to say what is missing.
  private func largeText(_ id: Artifact.ID) throws -> [UInt8] {
    guard let slash = db.path.lastIndex(of: "/") else { return [] }
    do {
      let hex = id.digest.hex
      let file = try Directory(path: String(db.path[..<slash]))
        .subdirectory(StoreLayout.artifacts, create: false)
        .subdirectory(String(hex.prefix(2)), create: false)
        .openFile(String(hex.dropFirst(2)), for: .reading)
      guard try Ingest.hash(file).digest == id.digest else { return [] }
      var text = [UInt8](repeating: 0, count: EntryText.largeTextLimit)
      text.removeSubrange(try file.read(into: &text, at: 0)...)
      // The last character may be cut.
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

  /// What is said of an attachment.
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
    let find = try db.prepare(
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
