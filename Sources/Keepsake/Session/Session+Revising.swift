#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension Session {
  /// Replaces the content of a stored entry. The earlier content stays as a revision.
  ///
  /// The entry's position, id, key, turn, time, visibility and attachments stay. Its kind, the ids and names of its
  /// tool calls, and the position that an event goes back to must stay, because the entry would otherwise be another
  /// one. A lane, an author or a model that the new content does not name stays, too. Equal content writes nothing.
  /// - Parameters:
  ///   - position: The position of the entry.
  ///   - content: The new content.
  /// - Returns: The entry as it is stored.
  /// - Throws: ``KeepsakeError``: `invalid` for content that would be another entry, `conflict` if the entry was
  ///   erased or is shared with the session that this one was forked from, `outOfRange` if there is no such position.
  @concurrent @discardableResult
  public func revise(_ position: Int, to content: Entry) async throws -> Entry {
    let salt = Salt()
    try core.requireWriter()
    var texts = try LargeTexts(of: content)
    try await core.takeIn(&texts)
    let session = self
    let now = core.now()
    return try await core.write(texts, bytes: content.text.utf8.count) { texts, change in
      var row = try SessionRow(session, in: change.db)
      let entry = try session.revise(
        position, to: content, texts: texts, salt: salt, at: now, row: &row, in: change
      ).entry
      try row.save(in: change.db)
      return entry
    }
  }

  /// Reads the earlier contents of an entry, the oldest first.
  /// - Throws: ``KeepsakeError``: `outOfRange` if there is no such position, `notFound` if the session was deleted.
  @concurrent
  public func revisions(of position: Int) async throws -> [Revision] {
    try core.read { db in
      let row = try SessionRow(self, in: db)
      guard position >= 0, position < row.entries else {
        throw KeepsakeError.noPosition(position, in: id, entries: row.entries)
      }
      let current = try EntryReader(self, in: db).entries(position..<(position + 1))[0]
      let find = try db.prepare(
        """
        SELECT number, replaced, status, lane, author, model, body FROM revision
        WHERE entry = ? AND until <= ? ORDER BY number
        """)
      find.bind(lineage.id(of: position))
      // What a fork shows as the newest content may have been replaced in its parent since.
      find.bind(lineage.owner(of: position).changes ?? .max)
      var revisions: [Revision] = []
      while try find.step() {
        var entry = Entry(current.kind, id: current.id, created: current.created)
        entry.position = current.position
        entry.turn = current.turn
        entry.visibility = current.visibility
        entry.attachments = current.attachments
        entry.key = current.key
        let number = try find.int(in: .ordinal)
        let replaced = Date(microseconds: find.int64())
        entry.status = try .init(code: find.int(), of: "a revision")
        entry.lane = find.optionalText()
        entry.author = find.optionalText()
        entry.model = find.optionalText()
        let body = find.position()
        entry.isErased = find.isNull(body)
        if !entry.isErased, try EntryBody.decode(find.span(body), into: &entry) {
          try entry.resolveLargeTexts(core, in: db)
        }
        revisions.append(Revision(number: number, replaced: replaced, entry: entry))
      }
      return revisions
    }
  }

  /// An earlier content of an entry.
  public struct Revision: Sendable, Hashable, Codable, Identifiable {
    /// The number of the revision, counted from 1 for each entry.
    public let number: Int
    /// The time at which later content replaced this one.
    public let replaced: Date
    public let entry: Entry

    public var id: Int { number }
  }

  /// Revises an entry inside of a write transaction. The caller saves `row`.
  func revise(
    _ position: Int, to content: Entry, texts: LargeTexts, salt: Salt, at now: Int64,
    row: inout SessionRow, in change: Change
  ) throws -> (entry: Entry, isChanged: Bool) {
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
    guard !entry.isErased else {
      throw KeepsakeError(
        .conflict,
        "Can't revise position \(position) of session \(id): it was erased. Append a new entry.",
        object: id.uuidString)
    }
    let content = try content.revising(entry, at: position, of: id)
    if entry.hasSameContent(as: content), entry.status == content.status,
      content.model.isSameText(as: entry.model)
    {
      return (entry, false)
    }

    entry.segments = content.segments
    entry.toolCalls = content.toolCalls
    entry.callID = content.callID
    entry.tool = content.tool
    entry.status = content.status
    let tags = entry.tags
    entry.rare = content.rare
    let prepared = try PreparedEntry(entry, salt: salt)
    let columns = EntryColumns(
      entry, turn: entry.turn, call: try callReference(at: position, in: change.db), revised: now)
    let link = try replaceLink(
      ofEntryAt: position, by: .revise, columns, bodyDigest: prepared.bodyDigest, row: &row,
      in: change.db)
    try keepRevision(of: position, replaced: now, until: link.change, in: change.db)
    try SearchIndex.changing(lineage.id(of: position), in: change.db) {
      try update(
        columns, at: position, link: link, salt: salt, body: prepared.body, in: change.db)
      try keep(texts, at: position, row: &row, in: change)
      if entry.tags != tags { try replaceTags(at: position, with: entry.tags, in: change.db) }
    }
    row.bytes += Int64(prepared.body.count)
    change.publish(.revised(session: id, position: position))
    return (entry, true)
  }

  /// Gives a stored entry that is written again its new link, and archives its earlier link.
  /// - Parameters:
  ///   - columns: The new columns of the entry's row.
  ///   - bodyDigest: The digest of the new body. Nil for an erased entry, which has no body: its present digest takes
  ///     the place of the body's digest.
  func replaceLink(
    ofEntryAt position: Int, by operation: Chain.Operation, _ columns: EntryColumns,
    bodyDigest: SHA256Digest?, row: inout SessionRow, in db: Tables
  ) throws -> RowLink {
    let old = try link(ofEntryAt: position, in: db)
    return try row.chain.replace(
      old, at: position, by: operation,
      digest: columns.digest(bodyDigest: bodyDigest ?? old.digest), in: db)
  }

  private func link(ofEntryAt position: Int, in db: Tables) throws -> RowLink {
    let find = try db.prepare("SELECT operation, digest, change FROM entry WHERE id = ?")
    find.bind(lineage.id(of: position))
    guard try find.step(), let operation = Chain.Operation(rawValue: find.int()),
      let digest = find.digest()
    else {
      throw KeepsakeError(
        .damaged,
        "The link at position \(position) of session \(id) is damaged.", remedy: .verify)
    }
    return RowLink(
      operation: operation, change: try find.int(in: .ordinal), digest: digest)
  }

  func callReference(at position: Int, in db: Tables) throws
    -> Entry.Attachment.CallReference?
  {
    let find = try db.prepare("SELECT call_entry, call_ordinal FROM entry WHERE id = ?")
    find.bind(lineage.id(of: position))
    guard try find.step(), let call = find.optionalEntryID() else { return nil }
    return .init(position: call.position, ordinal: try find.int(in: .index))
  }

  /// Returns the time at which an entry was last revised, which is part of its digest; nil if it never was.
  func lastRevision(of id: EntryID, in db: Tables) throws -> Int64? {
    let find = try db.prepare(
      "SELECT replaced FROM revision WHERE entry = ? ORDER BY number DESC LIMIT 1")
    find.bind(id)
    return try find.step() ? find.int64() : nil
  }

  private func keepRevision(of position: Int, replaced: Int64, until: Int, in db: Tables) throws {
    let insert = try db.prepare(
      """
      INSERT INTO revision
        (entry, number, replaced, until, status, lane, author, model, operation, change, salt, digest, body)
      SELECT id, (SELECT coalesce(max(number), 0) + 1 FROM revision WHERE entry = ?1), ?2, ?3,
        status, lane, author, model, operation, change, salt, digest, body FROM entry WHERE id = ?1
      """)
    insert.bind(lineage.id(of: position))
    insert.bind(replaced)
    insert.bind(until)
    try insert.run()
  }

  private func update(
    _ columns: EntryColumns, at position: Int, link: RowLink, salt: Salt, body: [UInt8],
    in db: Tables
  ) throws {
    let update = try db.prepare(
      """
      UPDATE entry SET status = ?, lane = ?, author = ?, model = ?, operation = ?, change = ?,
        salt = ?, digest = ?, body = ? WHERE id = ?
      """)
    update.bind(columns.status, at: 1)
    update.bind(columns.lane, at: 2)
    update.bind(columns.author, at: 3)
    update.bind(columns.model, at: 4)
    update.bind(link.operation, at: 5)
    update.bind(link.change, at: 6)
    update.bind(salt, at: 7)
    update.bind(link.digest, at: 8)
    update.bind(lineage.id(of: position), at: 10)
    try update.run(binding: body, at: 9, as: .text)
  }

  private func replaceTags(at position: Int, with tags: [String], in db: Tables) throws {
    let entry = lineage.id(of: position).rawValue
    let delete = try db.prepare("DELETE FROM tag WHERE session = ? AND entry = ?")
    delete.bind(number)
    delete.bind(entry)
    try delete.run()
    for tag in tags { try insert(tag: tag, entry: entry, in: db) }
  }
}

extension Entry {
  /// Returns this content for a stored entry, with everything that a revision leaves unchanged.
  fileprivate func revising(_ stored: Entry, at position: Int, of session: UUID) throws -> Entry {
    guard kind == stored.kind, toolCalls.count == stored.toolCalls.count,
      zip(toolCalls, stored.toolCalls).allSatisfy({
        $0.id.isSameText(as: $1.id) && $0.tool.isSameText(as: $1.tool)
      }),
      stored.callID == nil || callID == nil || callID.isSameText(as: stored.callID),
      continuesAfter == nil || continuesAfter == stored.continuesAfter
    else {
      throw KeepsakeError(
        .invalid,
        "Can't revise position \(position) into another kind of entry, into other tool calls, or to go back elsewhere: append a new entry.",
        object: session.uuidString)
    }
    var content = self
    content.continuesAfter = stored.continuesAfter
    content.callID = stored.callID ?? callID
    content.key = stored.key
    content.lane = lane ?? stored.lane
    content.author = author ?? stored.author
    content.model = model ?? stored.model
    return content
  }
}
