#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

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
    try handle.requireWriter()
    var texts = try LargeTexts(of: content)
    try await handle.takeIn(&texts)
    let session = self
    let now = handle.now()
    return try await handle.write(texts, in: id, bytes: content.text.utf8.count) { texts, change in
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
    try handle.read { db in
      let row = try SessionRow(self, in: db)
      guard position >= 0, position < row.entries else {
        throw KeepsakeError.noPosition(position, in: id, entries: row.entries)
      }
      let reader = EntryReader(self, in: db)
      let current = try reader.entries(position..<(position + 1))[0]
      return try reader.revisions(of: position, current).map {
        Revision(number: $0.number, replaced: $0.replaced, entry: $0.entry)
      }
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
    guard let content = entry.revised(to: content) else {
      throw KeepsakeError(
        .invalid,
        "Can't revise position \(position) into another kind of entry, into other tool calls, or to go back elsewhere: append a new entry.",
        object: id.uuidString)
    }
    if entry.isUnchanged(by: content) { return (entry, false) }

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
    let entryID = lineage.id(of: position)
    try change.db.revisions.insert(contentOf: entryID, replaced: now, until: link.change)
    try SearchIndex.changing(entryID, in: change.db) {
      try change.db.entries.update(
        entryID, to: columns, link: link, salt: salt, body: prepared.body)
      try keep(texts, at: position, row: &row, in: change)
      if entry.tags != tags { try replaceTags(of: entryID, with: entry.tags, in: change.db) }
    }
    row.bytes += Int64(prepared.body.count)
    change.publish(.revised(session: id, position: position))
    return (entry, true)
  }

  /// Gives a stored entry that is written again its new link, and archives its earlier link.
  /// - Parameters:
  ///   - columns: The new columns of the entry's row.
  ///   - bodyDigest: The digest of the new body. Nil for an erased entry, which has no body: the digest of its newest link takes
  ///     the place of the body's digest. The row has that link, unless the session was deleted and the row is behind its chain.
  func replaceLink(
    ofEntryAt position: Int, by operation: Chain.Operation, _ columns: EntryColumns,
    bodyDigest: SHA256Digest?, row: inout SessionRow, in db: Tables
  ) throws -> RowLink {
    let entry = lineage.id(of: position)
    guard let old = try db.entries.link(of: entry) else {
      throw KeepsakeError(
        .damaged,
        "The link at position \(position) of session \(id) is damaged.", remedy: .verify)
    }
    let body =
      try bodyDigest
      ?? db.commits.archivedDigest(of: entry, in: old.change..<Int.max) ?? old.digest
    return try row.chain.replace(
      old, at: position, by: operation, digest: columns.digest(bodyDigest: body), in: db)
  }

  /// Finds the call that the entry at a position answers; nil if it answers none.
  func callReference(at position: Int, in db: Tables) throws
    -> Entry.Attachment.CallReference?
  {
    try db.entries.call(answeredBy: lineage.id(of: position))
  }

  /// Returns the time at which an entry was last revised, which is part of its digest; nil if it never was.
  func lastRevision(of id: EntryID, in db: Tables) throws -> Int64? {
    try db.revisions.last(of: id)
  }

  private func replaceTags(of entry: EntryID, with tags: [String], in db: Tables) throws {
    try db.sessions.deleteTags(of: entry)
    for tag in tags { try insert(tag: tag, entry: entry.rawValue, in: db) }
  }
}

extension Entry {
  /// Returns other content for this entry, with everything that a revision leaves unchanged; nil if such content has to be a
  /// new entry.
  func revised(to other: Entry) -> Entry? {
    guard kind == other.kind, toolCalls.count == other.toolCalls.count,
      zip(toolCalls, other.toolCalls).allSatisfy({
        $0.id.isSameText(as: $1.id) && $0.tool.isSameText(as: $1.tool)
      }),
      callID == nil || other.callID == nil || callID.isSameText(as: other.callID),
      other.continuesAfter == nil || other.continuesAfter == continuesAfter
    else { return nil }
    var content = other
    content.continuesAfter = continuesAfter
    content.callID = callID ?? other.callID
    content.key = key
    content.lane = other.lane ?? lane
    content.author = other.author ?? author
    content.model = other.model ?? model
    return content
  }

  /// Tells whether a revision to other content would change nothing.
  func isUnchanged(by other: Entry) -> Bool {
    guard let content = revised(to: other) else { return false }
    return hasSameContent(as: content) && status == content.status
      && model.isSameText(as: content.model)
  }
}
