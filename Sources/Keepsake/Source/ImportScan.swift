#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import SQLite

/// The first reading of a foreign file: it is read to its end before anything is written, and compared with what the
/// store has.
struct ImportScan {
  let source: ForeignSource
  let digest: SHA256Digest
  let size: Int64
  /// Of its entries up to the first prompt.
  let beginning: SHA256Digest
  let items: [SaveAlignment.Item]
  /// Of each entry, what no revision of it may change.
  let shapes: [Int]
  let records: Int
  /// The time of its first entry.
  let created: Int64?
  let skipped: [ImportReport.Skipped]

  /// Longer lists of instructions don't tell files apart any better.
  private static let longestBeginning = 16

  init(_ source: ForeignSource) throws {
    self.source = source
    var hash = SHA256()
    var size: Int64 = 0
    var beginning = Canonical("keepsake.beginning.1")
    var isBeginning = true
    var items: [SaveAlignment.Item] = []
    var shapes: [Int] = []
    var records = 0
    var created: Int64?
    var skipped: [ImportReport.Skipped] = []
    var reading = try source.open()
    while let record = try reading.next() {
      try Task.checkCancellation()
      hash.update(record.bytes)
      size += Int64(record.bytes.count)
      if !record.entries.isEmpty { records += 1 }
      for remark in record.remarks {
        skipped.append(.init(path: source.name, line: max(1, records), reason: remark))
      }
      for item in record.entries {
        items.append(.init(key: item.entry.key, fingerprint: item.entry.fingerprint))
        shapes.append(item.entry.shape)
        created = created ?? item.entry.created.microseconds
        guard isBeginning else { continue }
        beginning.add(item.entry.kind.code)
        beginning.add(SHA256.digest(of: EntryBody.encode(item.entry)))
        isBeginning = item.entry.kind != .prompt && items.count < Self.longestBeginning
      }
    }
    guard items.count <= EntryID.maximumPosition, records < PieceID.limit / 2 else {
      throw KeepsakeError(
        .tooLarge,
        "Can't import '\(source.name ?? "the file")': it has \(items.count) entries, and \(EntryID.maximumPosition) is the limit.",
        object: source.name)
    }
    digest = hash.finalize()
    self.size = size
    self.beginning = beginning.digest
    self.items = items
    self.shapes = shapes
    self.records = records
    self.created = created
    self.skipped = skipped
  }
}

// MARK: - What the store has of it

extension ImportScan {
  enum Target {
    /// This very file was imported into it.
    case unchanged(Session)
    case grows(Growth)
    case new
  }

  /// A session whose entries the file begins with.
  struct Growth {
    let session: Session
    /// How many entries it had when it was compared.
    let end: Int
    /// The positions of the file's first entries.
    let positions: [Int]
    /// Those that say something else in the file.
    let changed: Set<Int>
    /// Those whose content was erased, and stays so.
    let erased: Set<Int>
  }

  func target(core: StoreCore, in db: Connection) throws -> Target {
    if let number = try known(in: db) { return .unchanged(try session(number, core, db)) }
    for number in try candidates(in: db) {
      let session = try session(number, core, db)
      if let growth = try growth(of: session, in: db) { return .grows(growth) }
    }
    return .new
  }

  /// The session that this very file was imported into last.
  func known(in db: Connection) throws -> Int64? {
    let find = try db.prepare(
      """
      SELECT i.session FROM source AS s JOIN import AS i ON i.source = s.number
        JOIN session AS t ON t.number = i.session
      WHERE s.digest = ? AND s.format = ? AND t.state = 0 ORDER BY i.number DESC LIMIT 1
      """)
    find.bind(digest, at: 1)
    find.bind(source.format, at: 2)
    return try find.step() ? find.int64(0) : nil
  }

  private func session(_ number: Int64, _ core: StoreCore, _ db: Connection) throws -> Session {
    let find = try db.prepare("SELECT id FROM session WHERE number = ?")
    find.bind(number, at: 1)
    guard try find.step(), let id = UUID(bytes: find.bytes(0)) else {
      throw KeepsakeError(
        .damaged, "Session number \(number) has lost its identifier. Run 'keepsake verify'.")
    }
    return Session(id: id, number: number, lineage: try Lineage(of: number, in: db), core: core)
  }

  /// A file's first keys are among a session's first entries: only these are in the index.
  static let sessionsThatBeginWithKey: StaticString =
    """
    SELECT DISTINCT s.number FROM entry AS e JOIN session AS s ON s.number = e.id >> 24
    WHERE e.key = ? AND e.id & 16777215 < 16 AND s.state = 0 ORDER BY s.number DESC LIMIT 8
    """

  /// Sessions that may be this one, shorter, the likeliest first.
  private func candidates(in db: Connection) throws -> [Int64] {
    var found: [Int64] = []
    func add(_ find: borrowing Statement) throws {
      while try find.step() {
        if !found.contains(find.int64(0)) { found.append(find.int64(0)) }
      }
    }
    if let foreignID = source.foreignID {
      let find = try db.prepare(
        """
        SELECT number FROM session WHERE foreign_id = ? AND origin = ? AND state = 0
        ORDER BY number DESC LIMIT 8
        """)
      find.bind(foreignID, at: 1)
      find.bind(source.format, at: 2)
      try add(find)
      return found
    }
    for key in items.lazy.compactMap(\.key).prefix(4) {
      let find = try db.prepare(Self.sessionsThatBeginWithKey)
      find.bind(key, at: 1)
      try add(find)
    }
    let find = try db.prepare(
      """
      SELECT DISTINCT i.session FROM source AS s JOIN import AS i ON i.source = s.number
        JOIN session AS t ON t.number = i.session
      WHERE s.beginning = ? AND s.format = ? AND t.state = 0 ORDER BY i.session DESC LIMIT 16
      """)
    find.bind(beginning, at: 1)
    find.bind(source.format, at: 2)
    try add(find)
    return found
  }

  /// How a session lies against the file; nil when they tell different stories.
  private func growth(of session: Session, in db: Connection) throws -> Growth? {
    let row = try SessionRow(session, in: db)
    let stored = try session.storedItems(from: 0, for: nil, row: row, in: db)
    guard case .extends(let matched) = SaveAlignment.align(items, with: stored.map(\.item)),
      !matched.isEmpty
    else { return nil }
    var changed: Set<Int> = []
    var erased: Set<Int> = []
    for (index, match) in matched.enumerated()
    where items[index].fingerprint != stored[match].item.fingerprint {
      let position = stored[match].position
      let entry = try EntryReader(session, in: db).entries(position..<(position + 1))[0]
      if entry.isErased {
        erased.insert(position)
      } else if entry.shape != shapes[index] {
        // The ids are the same, and yet it is another entry: a foreign program counts them anew in each conversation.
        return nil
      } else if session.lineage.owner(of: position).session == session.number {
        changed.insert(position)
      } else {
        return nil
      }
    }
    return Growth(
      session: session, end: row.entries, positions: matched.map { stored[$0].position },
      changed: changed, erased: erased)
  }
}

extension Entry {
  /// A number that entries share, in this process, whose kind and calls are the same: one may become a revision of the
  /// other.
  fileprivate var shape: Int {
    var hasher = Hasher()
    hasher.combine(kind)
    hasher.combine(callID)
    for call in toolCalls {
      hasher.combine(call.id)
      hasher.combine(call.tool)
    }
    return hasher.finalize()
  }
}
