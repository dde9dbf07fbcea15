#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// What is ours of a session whose past at a hub parts from ours, as a session of its own.
///
/// The original goes on as the hub has it. What is ours becomes a fork of it, at the position up to which both have the same
/// entries. Where a fork would not show it as it is here, it becomes a full copy: if we changed what both have (a revision, a
/// caption, bytes that came), or if what both have has an attachment without an entry, which a fork does not show.
///
/// If this store has deleted the session, this store's changes become a deleted session, for the forks that were made of these
/// changes. That session is a full copy of the rows that forks in this store need. If another store has deleted the session, this
/// store makes such a copy for its forks, beside the session that shows this store's changes.
///
/// All of this is a pure function of records. The id follows from the session's id and our head, the order from what was
/// recorded, and nothing from a clock or from chance. So the same session comes of it, byte for byte, whoever makes it, how
/// often, and after whatever crash. If the hub erases more between two makings, the later one has the earlier one's changes and
/// the new erasures behind them.
struct Parting: Sendable {
  /// The session that parts.
  let original: UUID
  /// The id of the session that what is ours becomes.
  let id: UUID
  /// The number of changes that both pasts have.
  let common: Int
  /// Tells whether what is ours becomes a fork of the original; otherwise it is a full copy.
  let isFork: Bool
  /// Tells whether a full copy has rows of its own for the entries that the original shares, because the session that has them
  /// was deleted, too. Nothing is left in these rows but their places.
  let isFlat: Bool

  let ours: SessionRecords
  /// The number of entries that both pasts have, with those that the session shares itself.
  let commonEntries: Int
  let erased: ErasedElsewhere
  private let sizes: [Artifact.ID: Int64]

  /// Compares what this store has of a session with what the hub has.
  ///
  /// - Parameters:
  ///   - records: Our session.
  ///   - comparison: Where the pasts part.
  ///   - erased: What the hub erased since.
  ///   - deleted: The sessions that were deleted at the hub.
  ///   - sizes: The sizes of the artifacts that are attached in our session.
  init(
    of records: SessionRecords, at comparison: PastComparison, without erased: ErasedElsewhere,
    deleted: Set<UUID>, sizes: [Artifact.ID: Int64]
  ) {
    ours = records
    original = records.id
    common = comparison.common
    self.erased = erased
    self.sizes = sizes
    id = Self.id(of: records.id, head: records.past.end, isDeleted: records.isPurged)
    let appended = records.past.links.prefix(comparison.common).count {
      $0.operation == Chain.Operation.append.rawValue
    }
    commonEntries = records.start + appended
    isFork =
      !records.isPurged && !erased.isEverything
      && ForkCheck(records, common: comparison.common, entries: commonEntries).isPossible
    isFlat = erased.isEverything && (records.parent.map(deleted.contains) ?? false)
  }

  /// Returns the id of what is ours: a UUID of version 8, from a SHA-256 of the session's id and our head. A deleted session has another id than
  /// one that is shown, because a store may need both.
  static func id(of session: UUID, head: Chain, isDeleted: Bool) -> UUID {
    var canonical = Canonical(isDeleted ? "keepsake.parted.deleted.1" : "keepsake.parted.1")
    canonical.add(bytes: session.bytes)
    canonical.add(head.count)
    canonical.add(head.head)
    var bytes = Array(canonical.digest.bytes.prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    guard let id = UUID(bytes: bytes) else { preconditionFailure("A UUID has 16 bytes.") }
    return id
  }
}

// MARK: - The session that it makes

extension Parting {
  /// Makes the session, as a commit for any store that has the original as the hub has it.
  ///
  /// - Returns: The commit; nil if nothing would be left of it, because the session was deleted at the hub, and all that is
  ///   ours changed what was deleted.
  /// - Throws: A ``CopyFault`` if our records are not whole.
  func commit() throws -> SessionCommit? {
    var lists: [CopyRecord.Kind: [CopyRecord]] = [:]
    for kind in SessionCommit.kinds {
      lists[kind] = shift == 0 && !isFlat ? ours[kind] : renumbered(kind)
    }
    if isFlat { try lists[.entry, default: []].insert(contentsOf: placeholders(), at: 0) }
    var rows = PartedRows(lists, of: id, changes: ours.past.end.count + shift)
    try erase(from: &rows)
    if erased.isEverything, !hasContent(rows) { return nil }
    let session = try described(rows)
    let standing = try PartedStanding(self, rows, sizes: sizes)?.record()
    let isErasing = !erased.rows.isEmpty || erased.isEverything
    var records = [session]
    for kind in SessionCommit.kinds {
      switch kind {
      case .session: continue
      case .standing: if let standing { records.append(standing) }
      // A list whose entries were erased is compared anew.
      case .saved where isErasing: continue
      case .change:
        records += rows[.change].sorted { $0.int("number") ?? 0 < $1.int("number") ?? 0 }
      default: records += rows[kind]
      }
    }
    return try finished(records)
  }

  /// Gives the session the head to which its links lead.
  private func finished(_ records: [CopyRecord]) throws -> SessionCommit {
    let beginning = try records[0].chainBeginning(as: id)
    let unfinished = SessionCommit(
      session: id, base: nil, end: beginning, records: records, gone: [], erased: [])
    let end = try CommitLinks(of: unfinished, after: beginning).fold(onto: beginning, of: id)
    var records = records
    records[0]["chain.changes"] = .integer(Int64(end.count))
    records[0]["chain.head"] = .blob(end.head.bytes)
    return SessionCommit(
      session: id, base: nil, end: end, records: records, gone: [], erased: [])
  }

  /// Tells whether anything that we recorded after the common past still says something.
  private func hasContent(_ rows: PartedRows) -> Bool {
    rows[.entry].contains { $0["body"] != .null }
      || rows[.attachment].contains { $0.recorded > number(of: common) && !$0.isErasedAttachment }
      || rows[.invocation].contains { $0.recorded > number(of: common) }
  }
}

// MARK: - The session's own record

extension Parting {
  /// Returns the record of the session, still with our head.
  private func described(_ rows: PartedRows) throws -> CopyRecord {
    var session = ours.session
    session["id"] = .blob(id.bytes)
    if erased.isEverything {
      for column in ["title", "tags", "metadata"] { session[column] = .null }
    }
    if isFlat {
      for column in ["fork.of", "fork.position", "fork.change", "fork.head"] {
        session[column] = .null
      }
    }
    if ours.isPurged { return session }
    guard isFork else {
      session["metadata"] = .text(try metadata(of: session).bytes)
      return session
    }
    guard let point = ours.past.chain(after: common) else {
      throw CopyFault("session \(original) has not the changes that it has in common with the hub")
    }
    session["created"] = .integer(begun)
    session["fork.of"] = .blob(original.bytes)
    session["fork.position"] = .integer(Int64(commonEntries))
    session["fork.change"] = .integer(Int64(common))
    session["fork.head"] = .blob(point.head.bytes)
    return session
  }

  /// The time at which a fork begins: that of the first thing in it whose time is known.
  private var begun: Int64 {
    let times: [Int64] =
      ours[.entry].filter { $0.int("position") ?? 0 >= commonEntries }.compactMap {
        $0.integer("created")
      } + ours[.attachment].filter { $0.recorded > common }.compactMap { $0.integer("created") }
      + ours[.invocation].filter { $0.recorded > common }.compactMap { $0.integer("started") }
    return times.filter { $0 != EntryTime.unknown }.min() ?? ours.session.integer("updated") ?? 0
  }

  /// Returns the metadata of a full copy, which say what it was copied from. Lists show of a fork what it is a fork of.
  private func metadata(of session: CopyRecord) throws -> JSON {
    let had = try session.metadata(of: "\(original)")?.members ?? []
    let origin = JSON.object([
      ("session", .string(original.text)), ("changes", .number(Int64(common))),
    ])
    return .object(had.filter { $0.key != Self.originKey } + [(Self.originKey, origin)])
  }

  /// The name of the member of a full copy's metadata that says what it was copied from.
  static let originKey = "partedFrom"
}

// MARK: - What was erased meanwhile

extension Parting {
  /// Takes out what was erased at the hub: of what both pasts have, and what hangs on it.
  private func erase(from rows: inout PartedRows) throws {
    if erased.isEverything { return try eraseAll(from: &rows) }
    for row in erased.rows {
      switch row {
      case .entry(let position):
        guard position < commonEntries, let entry = ours.entries[position] else { continue }
        try rows.erase(entry, at: position)
      case .recorded(let change):
        guard change <= common else { continue }
        if isFork {
          let attachment = ours[.attachment].first { $0.recorded == change }
          rows.noteErased(
            sharedAttachmentRecordedBy: change, at: attachment?.int("position"))
        } else {
          rows.eraseRow(
            recordedBy: change, columns: shared(erased.lostColumns[change] ?? [], ofRun: change))
        }
      }
    }
  }

  private func eraseAll(from rows: inout PartedRows) throws {
    for position in (isFlat ? 0 : ours.start)..<max(ours.start, commonEntries) {
      if let entry = ours.entries[position] { try rows.erase(entry, at: position) }
    }
    for record in ours[.attachment] + ours[.invocation] where record.recorded <= common {
      rows.eraseRow(
        recordedBy: number(of: record.recorded),
        columns: shared(ErasedElsewhere.columnsOfRuns, ofRun: record.recorded))
    }
    rows.erasePieces(ofImportsUpTo: number(of: common))
  }

  /// Returns the columns of a run that both pasts have: if it ended here after the common past, its output is ours alone.
  private func shared(_ columns: [String], ofRun recorded: Int) -> [String] {
    let isConcludedHere = ours.past.links(after: common).contains {
      $0.operation == Chain.Operation.conclude.rawValue && $0.position == recorded
    }
    return isConcludedHere
      ? columns.filter { !ErasedElsewhere.outputsOfRuns.contains($0) } : columns
  }
}
