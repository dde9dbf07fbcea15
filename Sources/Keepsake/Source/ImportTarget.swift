#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

// Which session a foreign file belongs to. Ids of entries don't say it: programs count them anew in each conversation, and
// whoever knows them could write what he likes. These do, in this order:
//
// 1. who imports it, by naming a session: it is aligned with that as a saved list is;
// 2. all its bytes, where they were imported before: it adds nothing;
// 3. its records: it continues the session whose newest file has exactly the records that it begins with;
// 4. the session's id in the foreign program, where the format has one: it is aligned with that session;
// 5. its records once more: where a stored file begins with all of them, it is an older state of that, and adds nothing.
//
// Any other file becomes a session of its own.
extension ImportScan {
  enum Target {
    /// It has nothing that is not there.
    case unchanged(Session)
    case grows(Growth)
    /// A session of its own, and those that it may be taken for a continuation of.
    case new(relatives: [Session])
  }

  /// How a file lies against the session that it continues.
  struct Growth {
    let session: Session
    /// How many entries it had when it was compared.
    let end: Int
    let known: Known
    /// Where the file goes its own way: it becomes a fork of the session there, which shares what both say. Nil where the
    /// session itself grows.
    var parting: Int?

    enum Known {
      /// The file's first records are the newest stored file's, which are these.
      case records([SourcePiece.Outline])
      /// The positions of the file's first entries, those that say something else in the file, and those that were erased.
      case entries([Int], changed: Set<Int>, erased: Set<Int>)
    }
  }

  func target(core: StoreCore) throws -> Target {
    let (found, longer) = try core.read { db in try look(core: core, in: db) }
    for (session, file) in longer where try begins(file, core: core) { return .unchanged(session) }
    return found
  }

  /// What the indexes say, in one snapshot: where it belongs, and, where that is nowhere, the sessions of which it may be
  /// an older state, with their files.
  private func look(core: StoreCore, in db: Tables) throws -> (Target, [(Session, SourceRow)]) {
    if let destination {
      // It may have been deleted, or be another store's.
      _ = try SessionRow.entries(of: destination, in: db)
      if try known(in: db) != nil { return (.unchanged(destination), []) }
      return (.grows(try growth(into: destination, in: db)), [])
    }
    if isApart { return (.new(relatives: []), []) }
    if let number = try known(in: db) {
      return (.unchanged(try Session(number: number, core: core, in: db)), [])
    }
    if let growth = try continuation(core: core, in: db) { return (.grows(growth), []) }
    if facts.id != nil {
      let named = try sessionsOfSameID(core: core, in: db)
      for session in named {
        if let growth = try revisingGrowth(of: session, in: db) {
          return try isOlderState(growth, in: db) ? (.unchanged(session), []) : (.grows(growth), [])
        }
      }
      return (.new(relatives: named), [])
    }
    let alike = try files(Self.longerFiles, limit: 16, core: core, in: db)
    return (.new(relatives: try relatives(alike.map(\.0), core: core, in: db)), alike)
  }
}

// MARK: - By its bytes and records

extension ImportScan {
  /// The session that this very file was imported into last.
  ///
  /// A file that came with a copy, and is no longer whole, could not be checked: what it is said to have been does not
  /// count.
  func known(in db: Tables) throws -> Int64? {
    if isApart { return nil }
    let find = try db.prepare(
      """
      SELECT i.session FROM source AS s JOIN import AS i ON i.source = s.number
        JOIN session AS t ON t.number = i.session
      WHERE s.digest = ?1 AND s.format = ?2 AND s.identity IS NOT NULL AND +t.state = ?5
        AND (?3 IS NULL OR t.number = ?3)
      ORDER BY t.foreign_id IS ?4 DESC, i.number DESC LIMIT 1
      """)
    find.bind(digest)
    find.bind(source.format)
    find.bind(destination?.number)
    find.bind(facts.id)
    find.bind(SessionPresence.shown)
    return try find.step() ? find.int64() : nil
  }

  /// The import that took this very file into a session, and what it is kept as; nil where there is none.
  func `import`(of session: Session, in db: Tables) throws -> (Int64, SourceRow)? {
    let find = try db.prepare(
      """
      SELECT i.number, s.number FROM source AS s JOIN import AS i ON i.source = s.number
      WHERE s.digest = ? AND s.format = ? AND i.session = ? LIMIT 1
      """)
    find.bind(digest)
    find.bind(source.format)
    find.bind(session.number)
    guard try find.step() else { return nil }
    let number = find.int64()
    return try SourceRow(find.int64(), in: db).map { (number, $0) }
  }

  /// The last import that took a file of this format into a session; nil where there is none.
  func newestImport(of session: Session, in db: Tables) throws -> Int64? {
    let find = try db.prepare(
      """
      SELECT i.number FROM import AS i JOIN source AS s ON s.number = i.source
      WHERE i.session = ? AND s.format = ? ORDER BY i.number DESC LIMIT 1
      """)
    find.bind(session.number)
    find.bind(source.format)
    return try find.step() ? find.int64() : nil
  }

  /// Whether it becomes a session of its own, whatever is stored.
  private var isApart: Bool { source.stream?.isApart ?? false }

  /// The session whose newest file has exactly the records that this one begins with; of several the one with the most.
  ///
  /// Costs a look into an index for each length that stored files with the same opening have.
  func continuation(core: StoreCore, in db: Tables) throws -> Growth? {
    if isApart { return nil }
    var openings = Array(1...max(1, beginnings.opening))
    if beginnings.records == 0 { openings = [] }
    for opening in openings.reversed() {
      // A file whose records are all there before its first prompt has no longer opening.
      var records = opening == beginnings.opening ? beginnings.records : opening
      while let next = try length(ofFileOpening: beginnings[opening], atMost: records, in: db) {
        if next >= opening, let growth = try continuation(opening, of: next, core, db) {
          return growth
        }
        records = next - 1
      }
    }
    return nil
  }

  static let lengths: StaticString =
    "SELECT records FROM source WHERE beginning = ? AND records <= ? ORDER BY records DESC LIMIT 1"

  /// Sessions whose newest file has certain records. One that is known to be another session in the foreign program is
  /// none of them: programs copy a beginning when they fork.
  static let filesOfRecords: StaticString =
    """
    SELECT i.session, s.number FROM source AS s JOIN import AS i ON i.source = s.number
      JOIN session AS t ON t.number = i.session
    WHERE s.beginning = ?1 AND s.records = ?2 AND s.identity = ?3 AND s.format = ?4 AND +t.state = ?6
      AND (?5 IS NULL OR t.foreign_id IS NULL OR t.foreign_id = ?5)
      AND NOT EXISTS (SELECT 1 FROM import AS n JOIN source AS f ON f.number = n.source
        WHERE n.session = i.session AND n.number > i.number AND f.format = ?4)
    ORDER BY i.number DESC LIMIT 16
    """

  /// Files that open in a way, and have more records, the shortest first.
  static let longerFiles: StaticString =
    """
    SELECT i.session, s.number FROM source AS s JOIN import AS i ON i.source = s.number
      JOIN session AS t ON t.number = i.session
    WHERE s.beginning = ? AND s.records > ? AND s.format = ? AND +t.state = ?
    ORDER BY s.records LIMIT ?
    """

  /// Files that open in a way, and have no more records, the longest first.
  static let shorterFiles: StaticString =
    """
    SELECT i.session, s.number FROM source AS s JOIN import AS i ON i.source = s.number
      JOIN session AS t ON t.number = i.session
    WHERE s.beginning = ? AND s.records <= ? AND s.format = ? AND +t.state = ?
    ORDER BY s.records DESC LIMIT ?
    """

  /// How many records the longest file has that opens in a way, and has no more than so many.
  private func length(ofFileOpening opening: SHA256Digest, atMost records: Int, in db: Tables)
    throws -> Int?
  {
    let find = try db.prepare(Self.lengths)
    find.bind(opening)
    find.bind(records)
    guard try find.step() else { return nil }
    let length = find.int()
    return length > 0 ? length : nil
  }

  private func continuation(
    _ opening: Int, of records: Int, _ core: StoreCore, _ db: Tables
  ) throws -> Growth? {
    let find = try db.prepare(Self.filesOfRecords)
    find.bind(beginnings[opening])
    find.bind(records)
    find.bind(beginnings[records])
    find.bind(source.format)
    find.bind(facts.id)
    find.bind(SessionPresence.shown)
    var found: [(session: Int64, source: Int64)] = []
    while try find.step() { found.append((find.int64(), find.int64())) }
    find.reset()
    for candidate in found {
      let session = try Session(number: candidate.session, core: core, in: db)
      guard let file = try SourceRow(candidate.source, in: db) else { continue }
      if let growth = try growth(of: session, from: file, records: records, in: db) {
        return growth
      }
    }
    return nil
  }

  /// The file as what follows a stored one; nil where the session went on in another way since.
  private func growth(
    of session: Session, from file: SourceRow, records: Int, in db: Tables
  ) throws -> Growth? {
    let row = try SessionRow(session, in: db)
    let said = try file.pieces(in: db).filter { $0.entry != nil }
    guard said.count == records,
      said.allSatisfy({ $0.positions?.upperBound ?? .max <= row.entries }),
      let end = said.compactMap(\.positions?.upperBound).max()
    else { return nil }
    // What the app added meanwhile may be missing in the file only if a saved list could lack it, too.
    if end < row.entries {
      let since = try session.storedItems(from: end, for: nil, row: row, in: db)
      guard since.allSatisfy(\.item.isOptional) else { return nil }
    }
    return Growth(session: session, end: row.entries, known: .records(said))
  }

  /// Sessions with files that open as this one does.
  private func files(
    _ sql: StaticString, limit: Int, core: StoreCore, in db: Tables
  ) throws -> [(Session, SourceRow)] {
    guard beginnings.records > 0 else { return [] }
    let find = try db.prepare(sql)
    find.bind(beginnings.atOpening)
    find.bind(beginnings.records)
    find.bind(source.format)
    find.bind(SessionPresence.shown)
    find.bind(limit)
    var found: [(session: Int64, source: Int64)] = []
    while try find.step() { found.append((find.int64(), find.int64())) }
    find.reset()
    return try found.compactMap { candidate in
      guard let file = try SourceRow(candidate.source, in: db) else { return nil }
      return (try Session(number: candidate.session, core: core, in: db), file)
    }
  }

  /// Whether a stored file begins with all records of this one; what was erased of it can't tell.
  private func begins(_ file: SourceRow, core: StoreCore) throws -> Bool {
    var stored = Beginnings(source)
    var identity = source.identity
    for piece in try core.read({ db in try file.pieces(in: db) }) where piece.entry != nil {
      if stored.records == beginnings.records { break }
      guard !piece.isErased else { return false }
      let bytes = try core.read { db in try SourcePiece(piece.id, in: db) }.whole(core: core)
      stored.add(identity.digest(ofRecordIn: bytes), hasPrompt: false)
      guard stored.all == beginnings[stored.records] else { return false }
    }
    return stored.records == beginnings.records
  }
}

// MARK: - By who says so

extension ImportScan {
  /// The session that came last under the id that the file says; nil where there is none.
  func newestOfSameID(core: StoreCore, in db: Tables) throws -> Session? {
    try sessionsOfSameID(core: core, in: db).first
  }

  private func sessionsOfSameID(core: StoreCore, in db: Tables) throws -> [Session] {
    guard let foreignID = facts.id else { return [] }
    let find = try db.prepare(
      """
      SELECT number FROM session WHERE foreign_id = ? AND origin = ? AND +state = ?
      ORDER BY number DESC LIMIT 8
      """)
    find.bind(foreignID)
    find.bind(source.format)
    find.bind(SessionPresence.shown)
    var numbers: [Int64] = []
    while try find.step() { numbers.append(find.int64()) }
    find.reset()
    return try numbers.map { try Session(number: $0, core: core, in: db) }
  }

  /// How the file lies against a session that has its id; nil when they tell different stories.
  private func revisingGrowth(of session: Session, in db: Tables) throws -> Growth? {
    guard case .extends(let growth, let unchanged) = try compare(with: session, in: db),
      // Whoever knows the ids alone must not change what the session says.
      unchanged > 0
    else { return nil }
    return growth
  }

  /// Whether the session's newest file says all that this one says, and more: this one is what it was before, or was cut
  /// short. It must not take the place of that.
  private func isOlderState(_ growth: Growth, in db: Tables) throws -> Bool {
    guard case .entries(let positions, let changed, _) = growth.known, changed.isEmpty,
      positions.count == items.count, let last = positions.max()
    else { return false }
    let find = try db.prepare(
      """
      SELECT s.number FROM import AS i JOIN source AS s ON s.number = i.source
      WHERE i.session = ? AND s.format = ? ORDER BY i.number DESC LIMIT 1
      """)
    find.bind(growth.session.number)
    find.bind(source.format)
    guard try find.step(), let file = try SourceRow(find.int64(), in: db) else { return false }
    find.reset()
    return try file.pieces(in: db).contains {
      $0.positions.map { $0.upperBound > last + 1 } ?? false
    }
  }

  /// How the file lies against the session that it is to be taken into.
  private func growth(into session: Session, in db: Tables) throws -> Growth {
    switch try compare(with: session, in: db) {
    case .extends(let growth, _): return growth
    case .parts(let position):
      let id = session.id.uuidString.lowercased()
      throw KeepsakeError(
        .diverged,
        """
        Can't take '\(source.name ?? "the file")' into session \(id): they part ways at position \
        \(position), and nothing was changed.
        """, remedy: .fork(session.id, before: position), object: source.name)
    }
  }

  private enum Comparison {
    /// The file says what is stored, or revises it, and goes on from there; and how many entries it leaves as they are.
    case extends(Growth, unchanged: Int)
    case parts(position: Int)
  }

  private func compare(with session: Session, in db: Tables) throws -> Comparison {
    let row = try SessionRow(session, in: db)
    let stored = try session.storedItems(from: 0, for: nil, row: row, in: db)
    let matched: [Int]
    switch SaveAlignment.align(items, with: stored.map(\.item)) {
    case .extends(let found): matched = found
    case .diverges(let index):
      return .parts(position: index < stored.count ? stored[index].position : row.entries)
    }
    var changed: Set<Int> = []
    var erased = try session.erasedRecords(in: db)
    for (index, match) in matched.enumerated() {
      let position = stored[match].position
      if stored[match].hasErased { erased.insert(position) }
      if items[index].fingerprint == stored[match].item.fingerprint { continue }
      let entry = try EntryReader(session, in: db).entries(position..<(position + 1))[0]
      if entry.isErased { continue }
      guard entry.shape == shapes[index],
        session.lineage.owner(of: position).session == session.number
      else { return .parts(position: position) }
      changed.insert(position)
    }
    let growth = Growth(
      session: session, end: row.entries,
      known: .entries(matched.map { stored[$0].position }, changed: changed, erased: erased))
    return .extends(growth, unchanged: matched.count - changed.count)
  }
}

// MARK: - What it may be taken for

extension ImportScan {
  /// The sessions that a person may have thought this file continues: one that opens as it does, or, where just one
  /// session has its first keys, that one.
  private func relatives(_ longer: [Session], core: StoreCore, in db: Tables) throws
    -> [Session]
  {
    if !longer.isEmpty { return longer }
    let shorter = try files(Self.shorterFiles, limit: 1, core: core, in: db)
    if !shorter.isEmpty { return shorter.map(\.0) }
    guard let first = keys.first, let last = keys.last else { return [] }
    let find = try db.prepare(Self.sessionsThatBeginWithKey)
    find.bind(first)
    find.bind(last)
    find.bind(EntryID.positionBits)
    find.bind(SessionPresence.shown)
    var found: [Int64] = []
    while try find.step() { found.append(find.int64()) }
    find.reset()
    guard let number = found.first, found.count == 1 else { return [] }
    return [try Session(number: number, core: core, in: db)]
  }

  /// A file's first keys are among a session's first entries: the index `entry_by_first_key` has only these. SQLite uses
  /// it only for a text with the condition of the index to the letter, so the numbers stand in it.
  static let sessionsThatBeginWithKey: StaticString =
    """
    SELECT DISTINCT s.number FROM entry AS e JOIN session AS s ON s.number = e.id >> ?3
    WHERE e.key IN (?1, ?2) AND e.id & 16777215 < 16 AND +s.state = ?4 LIMIT 2
    """

  /// Where the file parts ways with the first of some sessions that it has anything to do with.
  func parting(from relatives: [Session], core: StoreCore) throws -> ImportReport.Parting? {
    guard let session = relatives.first else { return nil }
    let end = try core.read { db in try SessionRow.entries(of: session, in: db) }
    var stored: ArraySlice<Entry> = []
    var position = 0
    var reading = try source.open()
    while let record = try reading.next() {
      try Task.checkCancellation()
      for item in record.entries {
        guard position < end else { return .init(session: session.id, position: end) }
        if stored.isEmpty {
          let page = position..<min(position + Session.Entries.page, end)
          stored = try core.read { db in try EntryReader(session, in: db).entries(page) }[...]
        }
        guard let entry = stored.popFirst(),
          entry.isErased
            || entry.fingerprint == item.entry.fingerprint && entry.shape == item.entry.shape
              && entry.key.isSameText(as: item.entry.key)
        else { return .init(session: session.id, position: position) }
        position += 1
      }
    }
    return .init(session: session.id, position: position)
  }

  /// A file that says which session it is, and begins as that one does before it goes its own way, as a fork of that: the
  /// program wrote the file anew, and both ways are kept. Nil for any other.
  func fork(of session: Session?, at position: Int?, core: StoreCore) throws -> Growth? {
    guard facts.id != nil, let session, let position, position > 0 else { return nil }
    return try core.read { db in
      let row = try SessionRow(session, in: db)
      guard position <= min(row.entries, entries) else { return nil }
      // What was erased there must not come back with the file.
      var erased = try session.erasedRecords(in: db)
      let stored = try session.storedItems(from: 0, for: nil, row: row, in: db)
      for item in stored where item.hasErased { erased.insert(item.position) }
      return Growth(
        session: session, end: row.entries,
        known: .entries(Array(0..<position), changed: [], erased: erased), parting: position)
    }
  }
}

extension Session {
  /// The positions of entries of which an imported file no longer has its record, because something of it was erased.
  fileprivate func erasedRecords(in db: Tables) throws -> Set<Int> {
    var positions: Set<Int> = []
    for piece in lineage.pieces {
      let find = try db.prepare(
        "SELECT entry, entries FROM source_piece WHERE entry BETWEEN ? AND ? AND bytes IS NULL")
      find.bind(EntryID.all(of: piece.session))
      while try find.step() {
        let stored = SourcePiece.Outline(
          id: 0, entry: find.entryID(), entries: find.int(), isErased: true)
        positions.formUnion(stored.positions ?? 0..<0)
      }
    }
    return positions
  }
}
