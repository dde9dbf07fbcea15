#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Writes the records of one commit as rows of this store, with the rows that are derived from them.
struct CommitRowWriter {
  private let target: CommitWriter.Target
  private let rows: RestoreRows
  private let db: Tables
  private var session: Session { target.session }
  /// The links that rows lost, by their numbers. The commit has to keep each.
  private var displaced: [Int: (link: CommitRows.Known, position: Int)] = [:]
  /// Tells whether the session was deleted where the commit comes from, and is there for its forks.
  private let isOfPurged: Bool
  private var listed = SourceArtifacts()
  /// The number of entries, with those that were written.
  private(set) var entries: Int
  /// The artifacts that may have lost their last use.
  private(set) var unused = UnusedArtifacts()
  /// The positions of entries of a deleted session that are newer here than where the commit comes from.
  private var ahead: Set<Int> = []
  /// Tells whether the session got the counters that the commit says.
  private(set) var isSettled = false
  /// Tells whether the session got another title, other tags or other metadata.
  private(set) var isRenamed = false
  /// The number of attachments that came with the commit and are listed, which large texts are not.
  private var newAttachments = 0
  /// The attachments that were there before, by the change that recorded each.
  private(set) var knownAttachments: Set<Int> = []
  /// The positions of new entries that need no check after they are written: the record of each has the digest that it states, no revision
  /// and no large text. No later record of the commit changes such an entry, because nothing could keep the link that the entry's row would
  /// lose.
  private(set) var checkedEntries: Set<Int> = []

  /// The positions of shared entries of which something was erased; nil before somebody asks.
  private var erasedShared: Set<Int>?
  /// Tells whether the commit repeats content of erased shared entries in records of files. Such records are written without their bytes.
  private(set) var hasErasedRecords = false

  init(
    _ commit: SessionCommit, to target: CommitWriter.Target, artifacts: [Artifact.ID: Int64],
    in db: Tables
  ) throws {
    isOfPurged = commit.isOfPurged
    self.target = target
    self.db = db
    entries = target.entries
    rows = RestoreRows(
      session: target.session, artifacts: artifacts, base: try db.attachments.newestNumber() ?? 0,
      db: db)
  }

  /// Returns the entries that were there before, and have other words once the commit is written.
  func changedEntries(_ commit: SessionCommit) -> [EntryID] {
    let start = session.lineage.start
    guard target.before > start else { return [] }
    let positions = commit.records.compactMap { record in
      record.kind == .entry || record.kind == .attachment ? record.int("position") : nil
    }
    return Set(positions).filter { $0 >= start && $0 < target.before }.sorted()
      .map { session.lineage.id(of: $0) }
  }

  mutating func write(_ record: CopyRecord) throws {
    let isChecked = try record.requireDigest(of: rows.name)
    switch record.kind {
    case .session: try describe(record)
    case .turn: try put(record)
    case .invocation: try writeInvocation(record)
    case .entry: try writeEntry(record, isChecked: isChecked)
    case .attachment: try writeAttachment(record)
    case .revision: if !ahead.contains(record.int("position") ?? -1) { try put(record) }
    case .change: try writeLink(record)
    case .source: try writeSource(record)
    case .piece: try writePiece(record)
    case .recognition:
      try db.commits.update(recognition: record, ofSource: try source(record.int("import")))
    case .saved: try writeSaved(record)
    case .standing: try settle(record)
    case .span: throw CopyFault("it has a record of kind 'span' by itself")
    }
  }

  /// Writes a record into the table of its kind.
  /// - Parameters:
  ///   - record: The record.
  ///   - number: The number of the row, if it is there already and has one.
  ///   - source: The number of the file, for an import.
  private func put(_ record: CopyRecord, as number: Int64? = nil, source: Int64? = nil) throws {
    var values = try rows.values(of: record)
    var place = CopyRows.Place(session: session.number, source: source, number: number)
    if let number, record.kind == .attachment {
      values[Self.recording] = .integer(number)
      place.number = nil
    }
    try db.copies.put(record, as: values, at: place)
  }

  private static let recording = CopyTable.attachment.index(of: "recording")

  /// Tells whether the row of a deleted session is older where the commit comes from than it is here, and stays as it is here.
  private func isBehind(_ record: CopyRecord, _ known: CommitRows.Known) -> Bool {
    isOfPurged && record.link.map { $0.change < known.change } ?? false
  }

  /// Notes that a row is about to have another link than the one it has. A row that is not here has a link of the commit.
  private mutating func displace(_ known: CommitRows.Known?, by record: CopyRecord) throws {
    guard let link = record.link else { return }
    if let known {
      if link.change == known.change { return }
      displaced[known.change] = (known, link.position)
      // A row of a deleted session may be older here than the session's chain. The table of changes has the newer link of the row then.
      if isOfPurged, link.change <= target.base.count {
        try db.commits.forgetArchived(link.change, of: session.number)
      }
    } else if link.change <= target.base.count {
      throw CopyFault("\(record.name(in: rows.name)) is older than the change that it comes with")
    }
  }
}

// MARK: - The session

extension CommitRowWriter {
  private mutating func describe(_ record: CopyRecord) throws {
    // A deleted session has no description.
    if record.int("state") == SessionPresence.purged.rawValue { return }
    let before = try db.copies.session(session.number)
    isRenamed = ["title", "tags", "metadata"].contains { before?[$0] != record[$0] }
    try db.commits.update(record, of: session.number)
    if before?["tags"] != record["tags"] {
      try db.sessions.deleteOwnTags(of: session.number)
      for tag in try record.tags(of: rows.name) { try session.insert(tag: tag, entry: -1, in: db) }
    }
    if before?["metadata"] == record["metadata"] { return }
    if let metadata = try record.metadata(of: rows.name) {
      try session.store(metadata: metadata, in: db)
    } else {
      try db.sessions.deleteMetadata(of: session.number)
    }
  }

  private mutating func settle(_ record: CopyRecord) throws {
    isSettled = true
    guard record.int("entries") == entries else {
      throw CopyFault(
        "session \(rows.name) has \(entries) entries with it, and not as many as it says")
    }
    let cover = try record.bytes("cover.of").flatMap { id in
      try record.int("cover.recorded").flatMap { try db.commits.cover(of: id, recorded: $0) }
    }
    var record = record
    if !session.lineage.shared.isEmpty {
      // Which attachments of its origin a fork shows depends on what is here of the origin, and not on what was there.
      let shown =
        try target.isNew
        ? Session.sharedCount(session.lineage.shared, in: db)
        : SessionRow(session, orPurged: true, in: db).attachments
      record["attachments"] = .integer(Int64(shown + newAttachments))
    }
    try db.commits.update(standing: record, cover: cover, of: session.number)
  }

  private func writeSaved(_ record: CopyRecord) throws {
    guard let count = record.int("count"), let position = record.int("position"),
      let digest = record.bytes("digest").flatMap(SHA256Digest.init(bytes:))
    else { throw CopyFault("the saved list of session \(rows.name) is not whole") }
    try db.saved.store(count, digest: digest, position: position, of: session.number)
  }
}

// MARK: - Entries

extension CommitRowWriter {
  private mutating func writeEntry(_ record: CopyRecord, isChecked: Bool) throws {
    let position = record.int(at: EntryIndexes.position) ?? 0
    let id = session.lineage.id(of: position)
    guard id.session == session.number, position <= entries else {
      throw CopyFault("\(record.name(in: rows.name)) stands where entry \(entries) should be")
    }
    let content = try rows.content(of: record)
    if position < entries {
      guard let known = try db.commits.entry(id) else {
        throw CopyFault("\(record.name(in: rows.name)) is not here to be changed")
      }
      if isBehind(record, known) {
        ahead.insert(position)
        return
      }
      try displace(known, by: record)
      try put(record)
      // A key that the entry is given later goes to the index, which has it already if the entry had it.
      if let key = record.text("key") {
        var newest = EntryKeys.NewestBlock()
        try newest.change(id, to: key, entries: entries, in: db)
      }
      try db.sessions.deleteTags(of: id)
    } else {
      try displace(nil, by: record)
      try put(record)
      try EntryKeys.inserted(id, in: db)
      try session.insertCalls(of: content, at: id, in: db)
      entries += 1
      if isChecked, record.values[EntryIndexes.revised].isNull, content.largeTexts.isEmpty {
        checkedEntries.insert(position)
      }
    }
    for tag in content.tags { try session.insert(tag: tag, entry: id.rawValue, in: db) }
  }

  private mutating func writeInvocation(_ record: CopyRecord) throws {
    let known = try db.commits.invocation(record.bytes("id"), in: session.number)
    if let known, isBehind(record, known) { return }
    try displace(known, by: record)
    try put(record, as: known?.number)
  }

  private mutating func writeAttachment(_ record: CopyRecord) throws {
    let recorded = record.int("chain.recorded") ?? 0
    if let start = record.integer("range.start"), let end = record.integer("range.end"), start > end
    {
      throw CopyFault("\(record.name(in: rows.name)) has a range that ends before it begins")
    }
    let known =
      recorded > target.base.count
      ? nil
      : try db.commits.attachment(
        recordedBy: recorded, at: record.int("position").map { session.lineage.id(of: $0) },
        in: session.number)
    if let known, isBehind(record, known) { return }
    try displace(known, by: record)
    guard let known else {
      let number = rows.base + (record.integer("recording") ?? 0)
      if record.int("direction") != Entry.Attachment.Direction.content.code { newAttachments += 1 }
      try put(record)
      return try rows.insertInputs(of: record, as: number)
    }
    knownAttachments.insert(recorded)
    let before = try db.attachments.row(known.number)
    unused.add(before?.artifact)
    try put(record, as: known.number)
    if before?.entry == nil, let bound = try db.attachments.row(known.number) {
      try session.countInForks(bound, in: db)
    }
    try db.attachments.deleteInputs(of: known.number)
    try rows.insertInputs(of: record, as: known.number)
  }
}

// MARK: - Links

extension CommitRowWriter {
  /// Keeps a link that its row lost.
  private mutating func writeLink(_ record: CopyRecord) throws {
    let number = record.int("number") ?? 0
    let isOld = number <= target.base.count
    if isOld, displaced[number] == nil {
      let isKept = try db.commits.hasArchived(
        number, operation: record.int("operation") ?? 0, position: record.int("position") ?? 0,
        digest: record.bytes("digest").flatMap(SHA256Digest.init(bytes:)), of: session.number)
      // The other store removed rows of a deleted session and kept their links. This store still has the rows, with their links.
      if isKept || isOfPurged { return }
      throw CopyFault("it keeps a change of session \(rows.name) that no row loses with it")
    }
    try put(record)
  }

  /// Throws if a link was lost.
  private func checkLinks() throws {
    for (link, position) in displaced.values {
      let isKept = try db.commits.hasArchived(
        link.change, operation: link.operation, position: position, digest: link.digest,
        of: session.number)
      guard isKept else {
        throw CopyFault("change \(link.change) of session \(rows.name) would be lost with it")
      }
    }
  }
}

// MARK: - Foreign files

extension CommitRowWriter {
  private mutating func writeSource(_ record: CopyRecord) throws {
    let recorded = record.int("chain.recorded") ?? 0
    let source: Int64
    let known = try db.commits.import(recordedBy: recorded, in: session.number)
    try displace(known, by: record)
    if known != nil {
      source = try self.source(recorded)
      try db.commits.update(record, ofSource: source)
    } else {
      let base = try record.int("base.import").map { try self.source($0) }
      let shared = record.int("base.pieces") ?? 0
      guard (base == nil) == (shared == 0) else {
        throw CopyFault(
          "the file of \(record.name(in: rows.name)) begins with one that is not before it")
      }
      source = try db.sources.insertRestored(record, base: base, pieces: shared, owner: nil)
    }
    try put(record, as: known?.number, source: source)
  }

  /// Returns the source of the import that a change recorded.
  private func source(_ recorded: Int?) throws -> Int64 {
    let source = try recorded.flatMap {
      try db.commits.source(ofImportRecordedBy: $0, in: session.number)
    }
    guard let source else {
      throw CopyFault("a file that session \(rows.name) was imported from is not here")
    }
    return source
  }

  private mutating func writePiece(_ record: CopyRecord) throws {
    let source = try source(record.int("import"))
    try removePiece(record.int("ordinal") ?? 0, of: source)
    var record = record
    if try saysErased(record) {
      record["bytes"] = .null
      record.children = []
      hasErasedRecords = true
    }
    try rows.insertPiece(record, of: source, listing: &listed)
  }

  /// Tells whether a record of a file says a shared entry of which something was erased, and still has its bytes.
  private mutating func saysErased(_ record: CopyRecord) throws -> Bool {
    guard let position = record.int("position"), position < session.lineage.start else {
      return false
    }
    let erased = try erasedShared ?? session.erasedShared(in: db)
    erasedShared = erased
    return record.says(erased)
  }

  private mutating func removePiece(_ ordinal: Int, of source: Int64) throws {
    let id = PieceID.make(source: source, ordinal: ordinal)
    guard let spans = try db.commits.deletePiece(id) else { return }
    try SourceArtifacts.remove([spans], of: source, leaving: &unused, in: db)
  }
}

// MARK: - The end

extension CommitRowWriter {
  /// Removes a row that is not there any more.
  mutating func remove(_ row: SessionCommit.Gone) throws {
    switch row.kind {
    case .saved: try db.sessions.forgetSaved(session.number)
    case .piece: try removePiece(Int(row.second), of: source(Int(row.first)))
    default:
      throw CopyFault(
        "it says of a \(row.kind.rawValue) of session \(rows.name) that it is gone, which can't be")
    }
  }

  /// Lists the artifacts of pieces, and checks the links.
  func finish() throws {
    try listed.write(in: db)
    try checkLinks()
  }
}
