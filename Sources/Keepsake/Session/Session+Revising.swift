#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Files
import SQLite

extension Session {
  /// Saves a stored entry again with other content; what it was stays as a revision.
  ///
  /// Its position, identifier, turn, time and attachments stay. Equal content writes nothing.
  @concurrent @discardableResult
  public func revise(_ position: Int, to content: Entry) async throws -> Entry {
    var salts = Salts(count: 1)
    let salt = salts.next()
    try core.requireWriter()
    let texts = try await LargeTexts(of: content, core: core)
    let session = self
    let now = core.now()
    return try await core.write(bytes: content.text.utf8.count) { change in
      var row = try SessionRow(session, in: change.db)
      let entry = try session.revise(
        position, to: content, salt: salt, at: now, row: &row, in: change)
      try session.keep(texts, at: position, row: &row, in: change)
      try row.save(in: change.db)
      return entry
    }
  }

  /// The earlier contents of an entry, oldest first.
  @concurrent
  public func revisions(of position: Int) async throws -> [Revision] {
    try core.read { db in
      let row = try SessionRow(self, in: db)
      guard position >= 0, position < row.entries else {
        throw KeepsakeError.noPosition(position, in: id, entries: row.entries)
      }
      let current = try EntryReader(self, in: db).entries(position..<(position + 1))[0]
      let find = try db.prepare(
        "SELECT number, replaced, status, body FROM revision WHERE entry = ? ORDER BY number")
      find.bind(lineage.id(of: position).rawValue, at: 1)
      var revisions: [Revision] = []
      while try find.step() {
        var entry = current
        entry.segments = []
        entry.toolCalls = []
        entry.status = try .init(code: find.int(2), of: "a revision")
        if !find.isNull(3), try EntryBody.decode(find.span(3), into: &entry) {
          try entry.resolveLargeTexts(core, in: db)
        }
        revisions.append(
          Revision(
            number: find.int(0), replaced: Date(microseconds: find.int64(1)), entry: entry))
      }
      return revisions
    }
  }

  /// An earlier content of an entry.
  public struct Revision: Sendable, Hashable, Identifiable {
    /// Counted from 1 for each entry.
    public let number: Int
    /// When something else took its place.
    public let replaced: Date
    public let entry: Entry

    public var id: Int { number }
  }

  func revise(
    _ position: Int, to content: Entry, salt: [UInt8], at now: Int64, row: inout SessionRow,
    in change: Change
  ) throws -> Entry {
    guard position >= 0, position < row.entries else {
      throw KeepsakeError.noPosition(position, in: id, entries: row.entries)
    }
    guard lineage.owner(of: position).session == number else {
      throw KeepsakeError(
        .conflict,
        "Can't revise position \(position): session \(id) is a fork and shares it. Revise it in the session that it comes from.",
        object: id.uuidString)
    }
    var entry = try EntryReader(self, in: change.db).entries(position..<(position + 1))[0]
    if entry.hasSameContent(as: content), entry.status == content.status { return entry }
    guard entry.kind == content.kind, entry.toolCalls.map(\.id) == content.toolCalls.map(\.id)
    else {
      throw KeepsakeError(
        .invalid,
        "Can't revise position \(position) into another kind of entry, or into other tool calls: append a new entry.",
        object: id.uuidString)
    }
    let old = try link(ofEntryAt: position, in: change.db)
    try archive(old, position: position, in: change.db)

    entry.segments = content.segments
    entry.toolCalls = content.toolCalls
    entry.callID = content.callID
    entry.tool = content.tool
    entry.status = content.status
    let key = entry.key
    entry.rare = content.rare
    entry.key = key
    let prepared = try PreparedEntry(entry, salt: salt)
    let columns = EntryColumns(
      entry, turn: entry.turn, call: try callReference(at: position, in: change.db))
    let digest = columns.digest(bodyDigest: prepared.bodyDigest)
    let number = row.chain.add(.revise, position: position, digest: digest)
    try keepRevision(of: position, replaced: now, until: number, in: change.db)
    try update(
      columns, at: position,
      link: RowLink(operation: .revise, change: number, salt: salt, digest: digest),
      body: prepared.body, in: change.db)
    row.bytes += Int64(prepared.body.count)
    try enqueueForSearch(from: position, in: change.db)
    change.publish(.revised(session: id, position: position))
    return entry
  }

  private func link(ofEntryAt position: Int, in db: Connection) throws -> RowLink {
    let find = try db.prepare("SELECT operation, change, salt, digest FROM entry WHERE id = ?")
    find.bind(lineage.id(of: position).rawValue, at: 1)
    guard try find.step(), let operation = Chain.Operation(rawValue: find.int(0)),
      let digest = find.digest(3)
    else {
      throw KeepsakeError(
        .damaged,
        "The link at position \(position) of session \(id) is damaged. Run 'keepsake verify'.")
    }
    return RowLink(operation: operation, change: find.int(1), salt: find.bytes(2), digest: digest)
  }

  func callReference(at position: Int, in db: Connection) throws
    -> Entry.Attachment.CallReference?
  {
    let find = try db.prepare("SELECT call_entry, call_ordinal FROM entry WHERE id = ?")
    find.bind(lineage.id(of: position).rawValue, at: 1)
    guard try find.step(), let call = find.optionalInt64(0) else { return nil }
    return .init(position: EntryID(rawValue: call).position, ordinal: find.int(1))
  }

  private func keepRevision(of position: Int, replaced: Int64, until: Int, in db: Connection) throws
  {
    let insert = try db.prepare(
      """
      INSERT INTO revision
        (entry, number, replaced, until, status, operation, change, salt, digest, body)
      SELECT id, (SELECT coalesce(max(number), 0) + 1 FROM revision WHERE entry = ?1), ?2, ?3,
        status, operation, change, salt, digest, body FROM entry WHERE id = ?1
      """)
    insert.bind(lineage.id(of: position).rawValue, at: 1)
    insert.bind(replaced, at: 2)
    insert.bind(until, at: 3)
    try insert.run()
  }

  private func update(
    _ columns: EntryColumns, at position: Int, link: RowLink, body: [UInt8], in db: Connection
  ) throws {
    let update = try db.prepare(
      """
      UPDATE entry SET status = ?, visibility = ?, lane = ?, author = ?, model = ?, operation = ?,
        change = ?, salt = ?, digest = ?, body = ? WHERE id = ?
      """)
    update.bind(columns.status, at: 1)
    update.bind(columns.visibility, at: 2)
    update.bind(columns.lane, at: 3)
    update.bind(columns.author, at: 4)
    update.bind(columns.model, at: 5)
    update.bind(link.operation.rawValue, at: 6)
    update.bind(link.change, at: 7)
    update.bind(link.salt, at: 8)
    update.bind(link.digest, at: 9)
    update.bind(lineage.id(of: position).rawValue, at: 11)
    try update.run(binding: body, at: 10, as: .text)
  }
}
