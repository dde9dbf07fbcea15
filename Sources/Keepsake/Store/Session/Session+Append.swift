#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension Session {
  /// Adds an entry at the end, with its attachments. The entry is durable when this returns.
  ///
  /// A `prompt` begins a new turn of its lane, unless one is open. A tool output is paired with the nearest call of its
  /// `callID` that waits for an output, in its own turn if possible, and what that call made is bound to the output.
  ///
  /// An entry whose `key` the session has is not added again: if its content and artifacts are equal, this returns the
  /// stored entry. An entry without a key that is appended again is stored as another entry, with an id of its own.
  /// - Parameters:
  ///   - entry: The entry.
  ///   - attachments: The attachments, whose bytes are taken in first.
  /// - Returns: The entry as it is stored, with its position, turn and attachments.
  /// - Throws: ``KeepsakeError``: `conflict` if the session has the key with other content or artifacts, `tooLarge` for
  ///   an entry above the limits, and `diskFull` if there is no room.
  @concurrent @discardableResult
  public func append(_ entry: Entry, attaching attachments: [Entry.NewAttachment] = [])
    async throws -> Entry
  {
    try handle.requireWriter()
    return try await write([PreparedAppend(entry, attaching: attachments)])[0]
  }

  /// Adds several entries at the end in one transaction: all of them, or none on an error.
  ///
  /// This is much faster than adding one by one, because all entries become durable together.
  /// - Parameter entries: The entries, each of which is treated as in ``append(_:attaching:)``.
  /// - Returns: The entries as they are stored.
  /// - Throws: ``KeepsakeError``, as in ``append(_:attaching:)``.
  @concurrent @discardableResult
  public func append(_ entries: [Entry]) async throws -> [Entry] {
    guard entries.count >= AppendLine.worthwhile, !entries.contains(where: \.hasLargeText) else {
      return try await append(entries.map { ($0, []) })
    }
    try handle.requireWriter()
    let session = self
    let line = try AppendLine(entries)
    return try await handle.write(in: id, bytes: line.size, meanwhile: line.prepare) { change in
      try session.insert(line.count, in: change, chunk: line.chunk)
    }
  }

  /// Adds several entries, each with its attachments, in one transaction: all of them, or none on an error.
  @concurrent
  package func append(_ entries: [(Entry, [Entry.NewAttachment])]) async throws -> [Entry] {
    if entries.isEmpty { return [] }
    try handle.requireWriter()
    return try await write(entries.map { try PreparedAppend($0, attaching: $1) })
  }

  /// Takes in the bytes of prepared entries, and writes all of them in one transaction.
  private func write(_ prepared: consuming [PreparedAppend]) async throws -> [Entry] {
    let session = self
    try await handle.takeIn(&prepared)
    let size = prepared.reduce(0) { $0 + $1.size }
    return try await handle.write(prepared, in: id, bytes: size) { prepared, change in
      try session.insert(prepared, in: change)
    }
  }
}

extension Session {
  /// Inserts entries inside of a write transaction, which may run more than once.
  func insert(_ prepared: [PreparedAppend], in change: Change) throws -> [Entry] {
    try insert(prepared.count, in: change) { $0 == 0 ? prepared : nil }
  }

  /// Inserts entries that come in chunks.
  /// - Parameters:
  ///   - count: The number of all entries.
  ///   - change: The transaction.
  ///   - chunk: Returns the chunk with a number, counted from 0; nil after the last.
  private func insert(
    _ count: Int, in change: Change, chunk: (Int) throws -> [PreparedAppend]?
  ) throws -> [Entry] {
    var row = try SessionRow(self, in: change.db)
    let first = row.entries
    var stored: [Entry] = []
    stored.reserveCapacity(count)
    var number = 0
    while let prepared = try chunk(number) {
      number += 1
      for item in prepared {
        if let known = try known(item, row: row, in: change) {
          stored.append(known)
        } else {
          stored.append(try insert(item, row: &row, in: change))
        }
      }
    }
    if row.entries > first {
      let bound = try bindRuns(to: stored, row: &row, in: change).bound
      if !bound.isEmpty {
        for index in stored.indices {
          guard let position = stored[index].position, let new = bound[position] else { continue }
          stored[index].attachments += new
        }
      }
      try enqueueForSearch(from: first, in: change.db)
      change.publish(.appended(session: id, positions: first..<row.entries))
    }
    try row.save(in: change.db)
    return stored
  }

  /// Returns the stored entry with the key of an entry that is to be appended; throws if the two differ.
  private func known(_ item: PreparedAppend, row: SessionRow, in change: Change) throws -> Entry? {
    guard let key = item.entry.entry.key,
      let known = try knownEntry(key: key, row: row, in: change)
    else { return nil }
    guard !known.isErased else {
      throw KeepsakeError(
        .conflict,
        """
        Can't append the entry with key '\(key)': session \(id) had it at position \
        \(known.position ?? -1), and it was erased. Leave it out, or use another key.
        """, object: key)
    }
    guard known.hasSameContent(as: item.entry.entry) else {
      throw KeepsakeError(
        .conflict,
        """
        Can't append the entry with key '\(key)': session \(id) has it at position \
        \(known.position ?? -1) with other content. Use another key, or revise the stored entry.
        """, object: key)
    }
    guard try hasArtifacts(of: item, known, in: change.db) else {
      throw KeepsakeError(
        .conflict,
        """
        Can't append the entry with key '\(key)': session \(id) has it at position \
        \(known.position ?? -1) with other artifacts. Use another key, or attach them to the stored entry.
        """, object: key)
    }
    return known
  }

  /// Inserts an entry at the end inside of a write transaction. The caller saves `row`.
  func insert(_ item: PreparedAppend, row: inout SessionRow, in change: Change) throws
    -> Entry
  {
    let position = row.entries
    guard position <= EntryID.maximumPosition else {
      throw KeepsakeError(
        .tooLarge,
        "Session \(id) holds \(position) entries, which is the limit. Start another session.")
    }
    if let target = item.entry.entry.continuesAfter, target >= position {
      throw KeepsakeError.noPosition(target, in: id, entries: position)
    }
    let turn = try turn(of: item.entry.entry, row: &row, in: change.db)
    let call = try call(answeredBy: item.entry.entry, turn: turn, before: position, in: change.db)
    let entryID = EntryID(session: self.number, position: position)
    let id = try freeID(for: item.entry.entry.id, at: entryID, in: change.db)
    var columns = EntryColumns(item.entry.entry, turn: turn, call: call)
    if id != item.entry.entry.id { columns.uuid = id.bytes }
    let digest = columns.digest(bodyDigest: item.entry.bodyDigest)
    let link = row.chain.begin(.append, at: position, digest: digest)
    try change.db.entries.insert(
      columns, as: entryID, link: link, salt: item.entry.salt, body: item.entry.body,
      callID: call.map { lineage.id(of: $0.position) })
    try row.newestKeys.append(entryID, hasKey: item.entry.entry.key != nil, in: change.db)
    row.entries += 1
    row.bytes += Int64(item.entry.body.count)
    // If nobody knows when the entry was said, it counts as said now.
    row.updated = item.entry.created == EntryTime.unknown ? handle.now() : item.entry.created

    var entry = item.entry.entry
    if !entry.toolCalls.isEmpty { try insertCalls(of: entry, at: entryID, in: change.db) }
    for tag in entry.tags { try insert(tag: tag, entry: entryID.rawValue, in: change.db) }
    for text in item.texts.attachments {
      _ = try attach(text, position: position, row: &row, in: change)
    }
    if entry.kind == .prompt, entry.visibility != .model, !row.hasPreview {
      row.set(preview: entry.preview)
    }
    if entry.kind == .response, let model = entry.model { row.model = model }

    entry.id = id
    entry.position = position
    entry.turn = turn
    entry.isErased = false
    entry.created = EntryTime.date(item.entry.created)
    if !entry.toolCalls.isEmpty { try bindToCalls(of: entry, row: &row, in: change) }
    for attachment in item.attachments {
      entry.attachments.append(
        try attach(attachment, position: position, row: &row, in: change))
    }
    if let call {
      try bindToCall(call, answeredBy: entry, row: &row, in: change)
      entry.attachments += try bindAttachments(
        madeBy: call, to: entry, row: &row, in: change)
    }
    return entry
  }

  func insertCalls(of entry: Entry, at id: EntryID, in db: Tables) throws {
    try db.entries.insert(entry.toolCalls, of: id)
  }

  func insert(tag: String, entry: Int64, in db: Tables) throws {
    try db.sessions.insert(tag: tag, entry: entry, of: number)
  }

  private func knownEntry(key: String, row: SessionRow, in change: Change) throws -> Entry? {
    for stretch in lineage.stretches(0..<row.entries) {
      if let position = try EntryKeys.entry(
        with: key, in: stretch.positions, of: stretch.piece.session, in: change.db)?.position
      {
        return try EntryReader(self, in: change.db).entries(position..<(position + 1)).first
      }
    }
    return nil
  }

  /// Returns whether a stored entry was appended with the same artifacts as an item: as many, with the same bytes.
  ///
  /// Artifacts that were attached or bound to the entry later don't count.
  private func hasArtifacts(of item: PreparedAppend, _ known: Entry, in db: Tables) throws
    -> Bool
  {
    if item.attachments.isEmpty, known.attachments.isEmpty { return true }
    let entry = lineage.id(of: known.position ?? 0)
    // The stored entry has one attachment more if the next one stands where the entry's content has a place for it.
    let next = item.entry.entry.segment(ofAttachment: item.attachments.count)
    let stored = try db.attachments.appended(
      to: entry, after: db.changes.appending(entry),
      atMost: item.attachments.count + (next == nil ? 0 : 1))
    guard stored.count >= item.attachments.count else { return false }
    for (attachment, known) in zip(item.attachments, stored) {
      guard let artifact = attachment.artifact else {
        // The bytes of a stored attachment may have come since, but its reference never changes.
        guard known.reference.isSameText(as: attachment.new.reference) else { return false }
        continue
      }
      guard known.artifact == artifact.digest else { return false }
    }
    guard let next, stored.count > item.attachments.count else { return true }
    return stored[item.attachments.count].segment != next
  }

  /// Marks new entries for the search index.
  ///
  /// A session has one mark at most, and while it stands, appending writes no other. An entry that may be in the index
  /// already goes through `SearchIndex.changing` instead.
  func enqueueForSearch(from position: Int, in db: Tables) throws {
    try db.search.enqueue(from: position, of: number)
  }
}

extension Entry {
  /// The beginning of the text on one line, for lists.
  var preview: String {
    let line = text.split(whereSeparator: \.isWhitespace).prefix(40).joined(separator: " ")
    return line.count <= 160 ? line : String(line.prefix(159)) + "…"
  }
}
