#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Reads whole sessions as records that mean the same in any store, for ``Store/restoring(_:identity:)``.
///
/// Left out are derived values (see ``CopyTable``), the mark of the last saved list, and drafts, which are no entries yet. A
/// fork comes with the sessions with which it shares entries, the root first. Such a session, if it was not asked for, is
/// marked as being there for its forks only, like a deleted session, and comes without title, tags, metadata and turns.
package struct SessionCopy: Sendable {
  /// The content of a copy beside its records, and what the copy leaves out.
  package struct Summary: Sendable {
    /// The artifacts of the copy, in the order of their ids.
    package var artifacts: [Artifact] = []
    package var drafts = 0
    /// The number of sessions that are included because a fork needs them.
    package var companions = 0
  }

  private let sessions: [Session]

  package init(of sessions: [Session]) { self.sessions = sessions }

  /// Reads all sessions in one snapshot, an entry at a time.
  ///
  /// - Parameters:
  ///   - begin: A closure that gets the content of the copy before the first record.
  ///   - take: A closure that gets each record.
  /// - Returns: The artifacts of the copy, and what was left out.
  /// - Throws: A ``KeepsakeError`` if the sessions can't be read, or an error of the closures.
  package func read(
    begin: (CopyManifest, Summary) throws -> Void, take: (CopyRecord) throws -> Void
  ) throws -> Summary {
    guard let core = sessions.first?.core else {
      throw KeepsakeError(.invalid, "Can't copy no sessions. Name one at least.")
    }
    guard sessions.allSatisfy({ $0.core.store === core.store }) else {
      throw KeepsakeError(
        .invalid,
        "Can't copy sessions of several stores into one file. Copy each store's by itself.")
    }
    return try core.read { db in
      let members = try members(in: db)
      var summary = Summary()
      var manifest = CopyManifest()
      var recordings: [Int64] = []
      var artifacts: Set<Int64> = []
      for member in members {
        manifest.sessions.append(member.head)
        if !member.isAsked, !member.wasPurged { summary.companions += 1 }
        if member.isAsked { summary.drafts += try member.drafts(in: db) }
        try member.collect(&recordings, artifacts: &artifacts, in: db)
      }
      recordings.sort()
      manifest.recordings = Int64(recordings.count)
      summary.artifacts = try artifacts.map {
        try core.artifacts.artifact(number: $0, core: core, in: db)
      }.sorted { $0.id < $1.id }
      for artifact in summary.artifacts { manifest.artifacts[artifact.id] = artifact.size }
      try begin(manifest, summary)
      for member in members {
        try Task.checkCancellation()
        try MemberReader(member, recordings: recordings, db: db).read(take)
      }
      return summary
    }
  }

  /// Returns the sessions and those with which they share entries, in the order of their creation, so that parents come first.
  private func members(in db: Tables) throws -> [Member] {
    var asked: Set<Int64> = []
    var all: Set<Int64> = []
    for session in sessions {
      _ = try SessionRow.entries(of: session, in: db)
      asked.insert(session.number)
      for piece in session.lineage.pieces { all.insert(piece.session) }
    }
    return try all.sorted().map { try Member($0, isAsked: asked.contains($0), in: db) }
  }
}

/// One session of a copy.
private struct Member {
  let number: Int64
  let isAsked: Bool
  let wasPurged: Bool
  let head: CopyManifest.Head
  let record: CopyRecord

  init(_ number: Int64, isAsked: Bool, in db: Tables) throws {
    self.number = number
    self.isAsked = isAsked
    let find = try db.prepare(text: CopyTable.session.select)
    find.bind(number)
    guard try find.step() else {
      throw KeepsakeError(.damaged, "A fork's parent is not there.", remedy: .verify)
    }
    var record = try CopyRecord(.session, find)
    wasPurged = record.integer("state") == 2
    if !isAsked {
      record["state"] = .integer(2)
      for name in ["title", "origin", "foreignID", "tags", "metadata"] { record[name] = .null }
    }
    guard let head = CopyManifest.Head(record) else {
      throw KeepsakeError.lostIdentifier(ofSession: number)
    }
    guard record.integer("state") != 1 else { throw KeepsakeError.noSession(head.session) }
    self.head = head
    self.record = record
  }

  func drafts(in db: Tables) throws -> Int {
    let count = try db.prepare("SELECT count(*) FROM draft WHERE session = ?")
    count.bind(number)
    return try count.step() ? count.int() : 0
  }

  /// Collects the numbers of the session's attachments, and of all artifacts that it names.
  func collect(_ recordings: inout [Int64], artifacts: inout Set<Int64>, in db: Tables) throws {
    let attached = try db.prepare("SELECT number, artifact FROM attachment WHERE session = ?")
    attached.bind(number)
    while try attached.step() {
      recordings.append(attached.int64(0))
      if let artifact = attached.optionalInt64(1) { artifacts.insert(artifact) }
    }
    let others = try db.prepare(
      """
      SELECT d.artifact FROM attachment AS a JOIN derivation AS d ON d.attachment = a.number
      WHERE a.session = ?1
      UNION
      SELECT p.artifact FROM import AS i
      JOIN source_artifact AS p ON p.source = i.source
      WHERE i.session = ?1
      """)
    others.bind(number)
    while try others.step() { artifacts.insert(others.int64()) }
  }
}

/// Reads the records of one session.
private struct MemberReader {
  private let member: Member
  private let recordings: [Int64]
  private let db: Tables
  private let name: String
  private var first: Int64 { EntryID(session: member.number, position: 0).rawValue }
  private var last: Int64 {
    EntryID(session: member.number, position: EntryID.maximumPosition).rawValue
  }

  init(_ member: Member, recordings: [Int64], db: Tables) {
    self.member = member
    self.recordings = recordings
    self.db = db
    name = member.head.session.uuidString.lowercased()
  }

  func read(_ take: (CopyRecord) throws -> Void) throws {
    try take(member.record)
    if member.isAsked { try list(.turn, take) }
    try list(.invocation, take)
    let strays = try entries(take)
    for record in strays { try take(record) }
    try list(.attachment, take)
    try list(.revision, take)
    try list(.source) { record in
      guard record["base.pieces"] == .null || record["base.import"] != .null else {
        throw KeepsakeError(
          .damaged,
          "The file of \(record.name(in: name)) begins with one that is not there.", remedy: .verify
        )
      }
      try take(record)
    }
    var sources: [Int64] = []
    let find = try db.prepare("SELECT source FROM import WHERE session = ? ORDER BY number")
    find.bind(member.number)
    while try find.step() { sources.append(find.int64()) }
    for source in sources { try pieces(of: source, take) }
    try list(.change, take)
  }

  private func list(_ kind: CopyRecord.Kind, _ take: (CopyRecord) throws -> Void) throws {
    let find = try db.prepare(text: kind.table.select)
    find.bind(member.number, at: 1)
    if find.parameterCount > 1 {
      find.bind(first, at: 2)
      find.bind(last, at: 3)
    }
    while try find.step() { try take(read(kind, find)) }
  }

  private func read(_ kind: CopyRecord.Kind, _ row: borrowing Statement) throws -> CopyRecord {
    var record = try CopyRecord(kind, row)
    if kind == .attachment, let number = record.integer("recording") {
      record["recording"] = .integer(place(of: number))
    }
    do { try record.requireDigest(of: name) } catch {
      throw KeepsakeError(
        .damaged, "Can't copy what is damaged: \(error.reason.clause).", remedy: .verify,
        object: name)
    }
    return record
  }

  /// Returns the place of an attachment in the order of recording, from 1.
  private func place(of number: Int64) -> Int64 {
    var low = 0
    var high = recordings.count
    while low < high {
      let middle = (low + high) / 2
      if recordings[middle] < number { low = middle + 1 } else { high = middle }
    }
    return Int64(low + 1)
  }

  /// Reads each entry with the attachments that the session itself recorded for it.
  ///
  /// - Parameter take: A closure that gets each record.
  /// - Returns: The attachments whose entries are gone.
  private func entries(_ take: (CopyRecord) throws -> Void) throws -> [CopyRecord] {
    let entry = try db.prepare(text: CopyTable.entry.select)
    entry.bind(first, at: 2)
    entry.bind(last, at: 3)
    let attachment = try db.prepare(text: Self.attached)
    attachment.bind(member.number)
    attachment.bind(first)
    attachment.bind(last)
    var next = try attachment.step() ? read(.attachment, attachment) : nil
    var strays: [CopyRecord] = []
    while try entry.step() {
      var record = try read(.entry, entry)
      let position = record.integer("position") ?? 0
      while let found = next, let standing = found.integer("position"), standing <= position {
        if standing == position { record.children.append(found) } else { strays.append(found) }
        next = try attachment.step() ? read(.attachment, attachment) : nil
      }
      try take(record)
    }
    while let found = next {
      strays.append(found)
      next = try attachment.step() ? read(.attachment, attachment) : nil
    }
    return strays
  }

  private static let attached = """
    SELECT \(CopyTable.attachment.columns.map(\.expression).joined(separator: ", "))
    FROM attachment AS x WHERE x.session = ?1 AND x.entry BETWEEN ?2 AND ?3
    ORDER BY x.entry, x.number
    """

  private func pieces(of source: Int64, _ take: (CopyRecord) throws -> Void) throws {
    let find = try db.prepare(text: CopyTable.piece.select)
    find.bind(PieceID.make(source: source, ordinal: 0))
    find.bind(PieceID.make(source: source, ordinal: PieceID.limit - 1))
    var digests: [Int64: SHA256Digest] = [:]
    while try find.step() {
      var record = try CopyRecord(.piece, find)
      let id = PieceID.make(source: source, ordinal: record.int("ordinal") ?? 0)
      let piece = try db.prepare("SELECT size, spans FROM source_piece WHERE id = ?")
      piece.bind(id)
      guard try piece.step() else { continue }
      // A copy is the same, whether its store has packed the piece or not.
      if let size = try piece.optionalInt(in: .size), let stored = record.bytes("bytes") {
        record["bytes"] = .blob(try PieceBytes(stored, size: size).unpacked())
      }
      record.children = try SpanText.spans(of: id, in: piece).map { span in
        CopyRecord(span, of: try digest(of: span.artifact, &digests))
      }
      try take(record)
    }
  }

  private func digest(of artifact: Int64, _ known: inout [Int64: SHA256Digest]) throws
    -> SHA256Digest
  {
    if let digest = known[artifact] { return digest }
    let find = try db.prepare("SELECT digest FROM artifact WHERE number = ?")
    find.bind(artifact)
    guard try find.step(), let digest = find.digest() else {
      throw KeepsakeError(
        .damaged,
        "A file that \(name) was imported from has lost an artifact.", remedy: .verify)
    }
    known[artifact] = digest
    return digest
  }
}

extension CopyRecord {
  fileprivate init(_ span: SourcePiece.Span, of artifact: SHA256Digest) {
    self.init(.span)
    self["position"] = .integer(Int64(span.position))
    self["artifact"] = .blob(artifact.bytes)
    self["spelling"] = .integer(Int64(span.spelling.rawValue))
  }
}

extension CopyRecord {
  /// Reads a record from the current row of the kind's query.
  fileprivate init(_ kind: Kind, _ row: borrowing Statement) throws {
    self.init(kind)
    for (index, column) in kind.table.columns.enumerated() where !row.isNull(index) {
      values[index] =
        switch column.meaning {
        case .integer(let range): .integer(try row.int64(index, in: range))
        case .recording: .integer(try row.int64(index, in: .row))
        case .time, .timeIfKnown, .name, .position: .integer(row.int64(index))
        case .text, .json: .text(row.bytes(index))
        case .id, .digest, .salt, .artifact, .invocation, .session, .content:
          .blob(row.bytes(index))
        }
    }
    for (column, value) in zip(kind.table.columns, values)
    where column.isRequired && value == .null {
      throw KeepsakeError(
        .damaged,
        "A row of kind '\(kind.rawValue)' has lost its '\(column.name)'.", remedy: .verify)
    }
  }
}
