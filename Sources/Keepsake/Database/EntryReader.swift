#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Reads entries of one session with their attachments, inside of one snapshot.
struct EntryReader {
  let lineage: Lineage
  let keeper: any ArtifactKeeper
  let db: Tables
  private let id: UUID
  private let readsAttachments: Bool
  private let readsLargeTexts: Bool

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - lineage: The lineage of the session that shows the entries.
  ///   - id: The id of the session, which errors name.
  ///   - keeper: The store that has the session.
  ///   - readsAttachments: Whether the entries are read with their attachments.
  ///   - readsLargeTexts: Whether texts that are kept as artifacts are read, which fails where one is lost.
  ///   - db: The tables, in a transaction.
  init(
    _ lineage: Lineage, of id: UUID, keeper: any ArtifactKeeper, readsAttachments: Bool,
    readsLargeTexts: Bool = true, in db: Tables
  ) {
    self.lineage = lineage
    self.id = id
    self.keeper = keeper
    self.readsAttachments = readsAttachments
    self.readsLargeTexts = readsLargeTexts
    self.db = db
  }

  /// Returns the stored entries at a range of positions.
  func entries(_ positions: Range<Int>) throws -> [Entry] {
    var room = Int.max
    return try entries(positions, room: &room)
  }

  /// Returns the first stored entries at a range of positions, at least one, until their content fills a number of bytes.
  func entries(_ positions: Range<Int>, filling budget: Int) throws -> [Entry] {
    var room = max(1, budget)
    return try entries(positions, room: &room)
  }

  private func entries(_ positions: Range<Int>, room: inout Int) throws -> [Entry] {
    var entries: [Entry] = []
    // The session's row may claim more entries than there are, so the reservation is limited.
    entries.reserveCapacity(min(positions.count, 1 << 16))
    let stretches = lineage.stretches(positions)
    for stretch in stretches where room > 0 {
      try read(stretch.piece, stretch.positions, room: &room, into: &entries)
    }
    if readsAttachments, let first = stretches.first, !entries.isEmpty {
      let start = first.positions.lowerBound
      try readAttachments(stretches, start..<(start + entries.count), into: &entries)
    }
    return entries
  }

  private func read(
    _ piece: Lineage.Piece, _ positions: Range<Int>, room: inout Int, into entries: inout [Entry]
  ) throws {
    let row = try db.connection.prepare(
      """
      SELECT id, uuid, kind, created, status, visibility, turn, key, lane, author, model, change, body
      FROM entry WHERE id BETWEEN ? AND ? ORDER BY id
      """)
    row.bind(EntryID(session: piece.session, position: positions.lowerBound))
    row.bind(EntryID(session: piece.session, position: positions.upperBound - 1))
    let first = entries.count
    var scratch: [UInt8] = []
    while try room > 0 && row.step() {
      let position = row.entryID(0).position
      guard position == positions.lowerBound + entries.count - first else {
        throw missing(positions.lowerBound + entries.count - first)
      }
      entries.append(
        try entry(row, at: position, visibleChanges: piece.changes, room: &room, scratch: &scratch))
    }
    let next = positions.lowerBound + entries.count - first
    guard next == positions.upperBound || room <= 0 else { throw missing(next) }
  }

  private func entry(
    _ row: borrowing Statement, at position: Int, visibleChanges: Int?, room: inout Int,
    scratch: inout [UInt8]
  ) throws -> Entry {
    guard let id = UUID(bytes: row.span(1)) else {
      throw damaged(position, "its identifier has not 16 bytes")
    }
    var entry = Entry(
      try .init(code: row.int(2), of: "entry \(position)"), id: id,
      created: EntryTime.date(row.int64(3)))
    entry.position = position
    let status = row.int(4)
    let visibility = row.int(5)
    if status != 0 { entry.status = try Entry.Status(code: status, of: "entry \(position)") }
    if visibility != 0 {
      entry.visibility = try Entry.Visibility(code: visibility, of: "entry \(position)")
    }
    // Turns are counted from 1, so a value that reads as 0 is NULL.
    let turn = try row.int(6, in: .count)
    if turn != 0 { entry.turn = turn }
    if let key = row.optionalText(7) { entry.key = key }
    if let lane = row.optionalText(8) { entry.lane = lane }
    if let author = row.optionalText(9) { entry.author = author }
    if let model = row.optionalText(10) { entry.model = model }
    let body = row.span(12)
    room -= body.byteCount
    if body.isEmpty, row.isNull(12) {
      // An erased entry is erased in forks as well.
      entry.isErased = true
      return entry
    }
    do {
      var hasLargeTexts: Bool?
      if let visibleChanges, row.int(11) > visibleChanges {
        hasLargeTexts = try decodeRevision(of: position, at: visibleChanges, into: &entry)
      }
      if try hasLargeTexts ?? EntryBody.decode(body, into: &entry, scratch: &scratch),
        readsLargeTexts
      {
        try keeper.resolveLargeTexts(of: &entry, in: db)
        for segment in entry.segments { room -= segment.text?.utf8.count ?? 0 }
      }
    } catch let error as JSONError {
      throw damaged(position, error.message)
    }
    return entry
  }

  /// Fills an entry of the parent with the content that it had when the fork was made; nil if its content is still the same.
  private func decodeRevision(of position: Int, at change: Int, into entry: inout Entry) throws
    -> Bool?
  {
    let find = try db.connection.prepare(
      """
      SELECT status, lane, author, model, body FROM revision
      WHERE entry = ? AND until > ? ORDER BY until LIMIT 1
      """)
    find.bind(lineage.id(of: position))
    find.bind(change)
    guard try find.step() else { return nil }
    entry.status = try Entry.Status(code: find.int(0), of: "entry \(position)")
    entry.lane = find.optionalText(1)
    entry.author = find.optionalText(2)
    entry.model = find.optionalText(3)
    return try find.isNull(4) ? false : EntryBody.decode(find.span(4), into: &entry)
  }

  /// Adds the attachments of a range of entries: those of the owning sessions, and those of forks to shared entries.
  ///
  /// The cost is at most two queries for each session of the lineage, however long the lineage is.
  private func readAttachments(
    _ stretches: [(piece: Lineage.Piece, positions: Range<Int>)], _ positions: Range<Int>,
    into entries: inout [Entry]
  ) throws {
    let reader = AttachmentReader(keeper, in: db)
    // The index of the stretch that belongs to the recorder, or to the last earlier recorder.
    var current = -1
    for recorder in lineage.pieces(from: stretches[0].piece) {
      let hasOwn = current + 1 < stretches.count && stretches[current + 1].piece == recorder
      if hasOwn { current += 1 }
      let shared = hasOwn ? current : current + 1
      if shared > 0 {
        try reader.forEach(recordedIn: recorder.session, sharedEntries: positions) { row, value in
          guard let entry = row.entry,
            stretches[..<shared].contains(entry)
          else { return }
          Self.add(row, value, by: recorder, to: &entries, from: positions.lowerBound)
        }
      }
      guard hasOwn else { continue }
      let own = stretches[current].positions.clamped(to: positions)
      guard !own.isEmpty else { continue }
      let low = EntryID(session: recorder.session, position: own.lowerBound)
      let high = EntryID(session: recorder.session, position: own.upperBound - 1)
      try reader.forEach(recordedIn: recorder.session, entries: low...high) { row, value in
        Self.add(row, value, by: recorder, to: &entries, from: positions.lowerBound)
      }
    }
  }

  private static func add(
    _ row: borrowing AttachmentRow, _ value: consuming Entry.Attachment,
    by recorder: Lineage.Piece, to entries: inout [Entry], from first: Int
  ) {
    guard value.direction != .content, let position = row.entry?.position,
      row.isVisible(at: recorder.changes)
    else { return }
    entries[position - first].attachments.append(value)
  }

  private func missing(_ position: Int) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "Session \(id) has no entry at position \(position), which it should have.",
      remedy: .verify,
      object: id.uuidString)
  }

  private func damaged(_ position: Int, _ reason: String) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "The entry at position \(position) of session \(id) is damaged: \(reason.clause).",
      remedy: .verify,
      object: id.uuidString)
  }
}

extension ArraySlice<(piece: Lineage.Piece, positions: Range<Int>)> {
  /// Returns whether the stretches show an entry.
  fileprivate func contains(_ entry: EntryID) -> Bool {
    // The stretches are in the order of positions, without gaps.
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if self[middle].positions.upperBound <= entry.position {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < endIndex && self[low].piece.session == entry.session
      && self[low].positions.contains(entry.position)
  }
}
