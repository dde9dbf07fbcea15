#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

extension Session {
  /// All entries, from the first to the last that is there when the reading comes to it.
  ///
  /// They are read page by page as they are asked for, so a session of any length needs the memory of one page: of up
  /// to 256 entries, and about 4 MiB of what they say.
  public var entries: Entries { Entries(session: self, start: 0) }

  /// The entries from a position on.
  public func entries(from position: Int) -> Entries {
    Entries(session: self, start: max(0, position))
  }

  /// The newest entries, in their order.
  @concurrent
  public func entries(last count: Int) async throws -> [Entry] {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      return try EntryReader(self, in: db).entries(max(0, end - max(0, count))..<end)
    }
  }

  /// Up to `count` entries that stand before a position, in their order: the page above what a view shows.
  @concurrent
  public func entries(before position: Int, count: Int) async throws -> [Entry] {
    try core.read { db in
      let end = min(max(0, position), try SessionRow.entries(of: self, in: db))
      return try EntryReader(self, in: db).entries(max(0, end - max(0, count))..<end)
    }
  }

  /// Up to `count` entries that stand after a position, in their order.
  @concurrent
  public func entries(after position: Int, count: Int) async throws -> [Entry] {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      let start = position < end ? max(0, position + 1) : end
      let count = min(end - start, max(0, count))
      return try EntryReader(self, in: db).entries(start..<(start + count))
    }
  }

  /// The entry at a position.
  @concurrent
  public func entry(at position: Int) async throws -> Entry {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      guard position >= 0, position < end,
        let entry = try EntryReader(self, in: db).entries(position..<(position + 1)).first
      else { throw KeepsakeError.noPosition(position, in: id, entries: end) }
      return entry
    }
  }

  /// Whether it is known when it began; else its own times say when it was taken in.
  @concurrent
  package func hasTimes() async throws -> Bool {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      guard end > 0 else { return true }
      return try EntryReader(self, in: db).entries(0..<1).first?.created != nil
    }
  }

  /// The entries of one turn.
  @concurrent
  public func entries(ofTurn turn: Int) async throws -> [Entry] {
    try core.read { db in
      guard turn >= 0, turn < .max else { return [] }
      let reader = EntryReader(self, in: db)
      return try reader.stretches(ofTurn: turn, below: SessionRow.entries(of: self, in: db))
        .flatMap { try reader.entries($0) }
    }
  }

  /// How many entries it has.
  @concurrent
  public func count() async throws -> Int {
    try core.read { db in try SessionRow.entries(of: self, in: db) }
  }

  /// The attachment that a label names.
  @concurrent
  public func attachment(_ label: String) async throws -> Entry.Attachment {
    try core.read { db in
      _ = try SessionRow(self, in: db)
      guard let number = try attachmentNumber(label: label, in: db),
        let found = try AttachmentReader(core, in: db).read(
          where: "a.number = ?1", { $0.bind(number) }
        ).first
      else {
        throw KeepsakeError(
          .notFound, "Session \(id) has no attachment labelled '\(label)'.", object: label)
      }
      return found.value
    }
  }

  /// Everything that is attached in this session, bound to an entry or not, in the order of recording.
  @concurrent
  public func attachments() async throws -> [Entry.Attachment] {
    try core.read { db in
      _ = try SessionRow.entries(of: self, in: db)
      return try attachments(in: db)
    }
  }

  func attachments(in db: Connection) throws -> [Entry.Attachment] {
    let reader = AttachmentReader(core, in: db)
    var found: [(row: AttachmentRow, value: Entry.Attachment)] = []
    for piece in lineage.shared {
      found += try reader.read(where: Self.sharedAttachments + " ORDER BY a.number") {
        Self.bind(piece, to: $0)
      }
    }
    found += try reader.read(where: "a.session = ?1 ORDER BY a.number") {
      $0.bind(number)
    }
    return found.map(\.value).filter { $0.direction != .content }
  }
}

extension Session {
  /// The entries from a position on that make up a page; none at the end.
  @concurrent
  func page(from position: Int) async throws -> [Entry] {
    try core.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      guard position < end else { return [] }
      return try EntryReader(self, in: db).entries(
        position..<min(end, position + Entries.page), filling: Entries.pageBytes)
    }
  }

  /// The entries of a session, read a page at a time.
  public struct Entries: AsyncSequence, Sendable {
    public typealias Element = Entry
    /// The most entries of a page.
    static let page = 256
    /// When so much is read, in bytes of bodies and large texts, a page ends.
    static let pageBytes = 4 << 20

    let session: Session
    let start: Int

    public func makeAsyncIterator() -> Iterator { Iterator(session: session, next: start) }

    public struct Iterator: AsyncIteratorProtocol {
      private let session: Session
      private var position: Int
      private var page: ArraySlice<Entry> = []
      private var hasEnded = false

      init(session: Session, next: Int) {
        self.session = session
        position = next
      }

      public mutating func next() async throws -> Entry? {
        if hasEnded { return nil }
        if page.isEmpty { page = try await session.page(from: position)[...] }
        guard let entry = page.popFirst() else {
          hasEnded = true
          return nil
        }
        position += 1
        return entry
      }
    }

    /// All of them at once, from one snapshot, in as much memory as they need.
    @concurrent
    public func all() async throws -> [Entry] {
      try session.core.read { db in
        let end = try SessionRow.entries(of: session, in: db)
        return try EntryReader(session, in: db).entries(Swift.min(start, end)..<end)
      }
    }
  }
}

extension EntryReader {
  /// Where the entries of a turn stand: side by side, unless turns overlap.
  func stretches(ofTurn turn: Int, below end: Int) throws -> [Range<Int>] {
    guard try areTurnsOverlapping() else {
      // Turns only grow along the session, so their limits are found by halving.
      let start = try firstPosition(turn: turn, below: end)
      return [start..<max(start, try firstPosition(turn: turn + 1, below: end))]
    }
    var found: [Range<Int>] = []
    for stretch in session.lineage.stretches(0..<end) {
      let find = try db.prepare(
        "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND coalesce(turn, 0) = ? ORDER BY id")
      let owner = stretch.piece.session
      find.bind(EntryID.range(stretch.positions, of: owner))
      find.bind(turn)
      while try find.step() {
        let position = find.entryID().position
        if let last = found.last, last.upperBound == position {
          found[found.count - 1] = last.lowerBound..<(position + 1)
        } else {
          found.append(position..<(position + 1))
        }
      }
    }
    return found
  }

  /// A position before which no prompt stands, as near to the first one as can be told at once.
  func beginningOfTurns(below end: Int) throws -> Int {
    try areTurnsOverlapping() ? 0 : firstPosition(turn: 1, below: end)
  }

  func areTurnsOverlapping() throws -> Bool {
    let find = try db.prepare("SELECT overlapping FROM session WHERE number = ?")
    find.bind(session.number)
    return try find.step() && find.bool()
  }

  /// The first position whose turn is at least this one, where turns don't overlap.
  private func firstPosition(turn: Int, below end: Int) throws -> Int {
    var low = 0
    var high = end
    while low < high {
      let middle = (low + high) / 2
      if try self.turn(at: middle) < turn { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func turn(at position: Int) throws -> Int {
    let find = try db.prepare("SELECT turn FROM entry WHERE id = ?")
    find.bind(session.lineage.id(of: position))
    return try find.step() ? find.int(in: .count) : 0
  }
}
