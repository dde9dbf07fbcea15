#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Session {
  /// The entries of the session, from the first to the last, as an asynchronous sequence.
  ///
  /// Entries are read page by page as the loop goes on, so a session of any length needs the memory of one page: up to
  /// 256 entries, or about 4 MiB. Entries that are appended during the loop are read, too.
  public var entries: Entries { Entries(session: self, start: 0) }

  /// The entries from a position on, as an asynchronous sequence.
  public func entries(from position: Int) -> Entries {
    Entries(session: self, start: max(0, position))
  }

  /// Reads the newest entries, in the order of their positions.
  ///
  /// The cost depends on `count`, and not on the length of the session.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
  @concurrent
  public func entries(last count: Int) async throws -> [Entry] {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      return try EntryReader(self, in: db).entries(max(0, end - max(0, count))..<end)
    }
  }

  /// Reads up to `count` entries before a position, in the order of their positions.
  ///
  /// A view that shows entries from `position` on reads the page above them with this.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
  @concurrent
  public func entries(before position: Int, count: Int) async throws -> [Entry] {
    try handle.read { db in
      let end = min(max(0, position), try SessionRow.entries(of: self, in: db))
      return try EntryReader(self, in: db).entries(max(0, end - max(0, count))..<end)
    }
  }

  /// Reads up to `count` entries after a position, in the order of their positions.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
  @concurrent
  public func entries(after position: Int, count: Int) async throws -> [Entry] {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      let start = position < end ? max(0, position + 1) : end
      let count = min(end - start, max(0, count))
      return try EntryReader(self, in: db).entries(start..<(start + count))
    }
  }

  /// Reads the entry at a position.
  /// - Throws: ``KeepsakeError``: `outOfRange` if there is no such position, `notFound` if the session was deleted.
  @concurrent
  public func entry(at position: Int) async throws -> Entry {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      guard position >= 0, position < end,
        let entry = try EntryReader(self, in: db).entries(position..<(position + 1)).first
      else { throw KeepsakeError.noPosition(position, in: id, entries: end) }
      return entry
    }
  }

  /// Tells whether the session's beginning is known. Otherwise its times say when the session was imported.
  @concurrent
  package func hasTimes() async throws -> Bool {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      guard end > 0 else { return true }
      return try EntryReader(self, in: db).entries(0..<1).first?.created != nil
    }
  }

  /// Reads the entries of a turn, in the order of their positions; none for a turn that does not exist.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
  @concurrent
  public func entries(ofTurn turn: Int) async throws -> [Entry] {
    try handle.read { db in
      guard turn >= 0, turn < .max else { return [] }
      let reader = EntryReader(self, in: db)
      return try reader.stretches(ofTurn: turn, below: SessionRow.entries(of: self, in: db))
        .flatMap { try reader.entries($0) }
    }
  }

  /// Returns the number of entries, with those that a fork shares.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
  @concurrent
  public func count() async throws -> Int {
    try handle.read { db in try SessionRow.entries(of: self, in: db) }
  }

  /// Reads the attachment with a label.
  /// - Throws: ``KeepsakeError``: `notFound` if no attachment has the label, or the session was deleted.
  @concurrent
  public func attachment(_ label: String) async throws -> Entry.Attachment {
    try handle.read { db in
      _ = try SessionRow(self, in: db)
      guard let number = try attachmentNumber(label: label, in: db),
        let found = try AttachmentReader(handle, in: db).row(number)
      else {
        throw KeepsakeError(
          .notFound, "Session \(id) has no attachment labelled '\(label)'.", object: label)
      }
      return found.value
    }
  }

  /// Reads all attachments of the session, whether bound to an entry or not, in the order in which they were recorded.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
  @concurrent
  public func attachments() async throws -> [Entry.Attachment] {
    try handle.read { db in
      _ = try SessionRow.entries(of: self, in: db)
      return try attachments(in: db)
    }
  }

  func attachments(in db: Tables) throws -> [Entry.Attachment] {
    let reader = AttachmentReader(handle, in: db)
    var found: [(row: AttachmentRow, value: Entry.Attachment)] = []
    for piece in lineage.shared { found += try reader.rows(sharedIn: piece) }
    found += try reader.rows(recordedIn: number)
    return found.map(\.value).filter { $0.direction != .content }
  }
}

extension Session {
  /// Reads a page of entries from a position on; none at the end.
  @concurrent
  func page(from position: Int) async throws -> [Entry] {
    try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      guard position < end else { return [] }
      return try EntryReader(self, in: db).entries(
        position..<min(end, position + Entries.page), filling: Entries.pageBytes)
    }
  }

  /// The entries of a session, as an asynchronous sequence that reads a page at a time.
  public struct Entries: AsyncSequence, Sendable {
    public typealias Element = Entry
    /// The greatest number of entries in a page.
    static let page = 256
    /// The number of bytes, of bodies and large texts, after which a page ends.
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

    /// Reads all entries at once, from one snapshot of the store.
    ///
    /// This needs as much memory as the entries.
    /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
    @concurrent
    public func all() async throws -> [Entry] {
      try session.handle.read { db in
        let end = try SessionRow.entries(of: session, in: db)
        return try EntryReader(session, in: db).entries(Swift.min(start, end)..<end)
      }
    }
  }
}
