#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Takes content out of one session and out of the forks that share it, and adds a link for each change.
///
/// The links that were overwritten stay in `change`, with the digests of the erased content; the salts in those digests
/// are erased too. An attachment and a run get a new salt and an ordinary digest over what is left of them. An entry gets
/// no new salt: in its digest, the digest that it had before takes the place of the body's.
struct Erasure {
  private let handle: StoreHandle
  private let change: Change
  private var db: Tables { change.db }
  /// The session that owns the entry, then its forks and the forks of these.
  private var family: [Member]
  private let target: EntryID?
  private var removed = Removal()
  private var unused = UnusedArtifacts()
  private var hasErased = false

  private struct Member {
    let session: Session
    var row: SessionRow
    var isChanged = false
  }

  init(of entry: EntryID, handle: StoreHandle, in change: Change) throws {
    self.handle = handle
    self.change = change
    target = entry
    family = try Self.family(of: entry.session, handle: handle, in: change.db)
  }

  init(in session: Int64, handle: StoreHandle, in change: Change) throws {
    self.handle = handle
    self.change = change
    target = nil
    family = try Self.family(of: session, handle: handle, in: change.db)
  }

  private static func family(of session: Int64, handle: StoreHandle, in db: Tables) throws
    -> [Member]
  {
    var family: [Member] = []
    // A fork has a higher number than the session that it was forked from, so that one's lineage is known by then.
    var lineages: [Int64: Lineage] = [:]
    for found in try db.sessions.family(of: session) {
      let lineage =
        if let parent = lineages[found.parent] {
          Lineage(of: found.number, at: found.forkPosition, change: found.forkChange, of: parent)
        } else { try Lineage(of: found.number, in: db) }
      lineages[found.number] = lineage
      let member = Session(id: found.id, number: found.number, lineage: lineage, handle: handle)
      family.append(
        Member(session: member, row: try SessionRow(member, orPurged: true, in: db)))
    }
    return family
  }

  /// Writes the sessions back, removes the artifacts that nothing uses any more, and notes what was done.
  mutating func finish() throws -> (removed: Removal, unused: UnusedArtifacts) {
    guard hasErased else { return (removed, unused) }
    for member in family {
      if member.isChanged { try member.row.save(in: db) }
      try db.sessions.forgetSaved(member.session.number)
    }
    try unused.removeErased(countingIn: &removed, in: db)
    try Trace.index.mark(in: db)
    try Trace.log.mark(in: db)
    try change.log(
      .erase,
      [("session", .string(family[0].session.id.text))]
        + (target.map { [("position", .number(Int64($0.position)))] } ?? [])
        + [("change", .number(Int64(family[0].row.chain.count)))])
    return (removed, unused)
  }
}

// MARK: - An entry

extension Erasure {
  /// Erases the body and the revisions of the target, its attachments, and what runs recorded of its calls.
  mutating func eraseEntry() throws {
    guard let target else { return }
    let position = target.position
    // A text that is lost, such as one that only a deleted session showed, keeps nothing from being erased.
    let entry = try EntryReader(family[0].session, readsLargeTexts: false, in: db)
      .entries(position..<(position + 1))[0]
    try eraseRuns(of: entry, at: target)
    // The entry's document stays in the search index, with the words that are left: its kind, labels, names of tools.
    try SearchIndex.changing(target, in: db) { try eraseContent(of: entry, at: target) }
  }

  private mutating func eraseContent(of entry: Entry, at target: EntryID) throws {
    let position = target.position
    for index in family.indices {
      let attached = try db.attachments.rows(of: target, in: family[index].session.number)
      for row in attached { try eraseRow(row) }
    }
    guard !entry.isErased else { return }
    try eraseBody(of: entry, at: target)
    if entry.kind == .prompt { try renewPreviews() }
    hasErased = true
    removed.entries += 1
    for member in family where member.row.entries > position {
      change.publish(.revised(session: member.session.id, position: position))
    }
  }

  private mutating func eraseBody(of entry: Entry, at id: EntryID) throws {
    try SourceRemoval.erase(id...id, leaving: &unused, in: db)
    let owner = family[0].session
    let columns = EntryColumns(
      entry, turn: entry.turn, call: try owner.callReference(at: id.position, in: db),
      revised: try owner.lastRevision(of: id, in: db))
    let link = try owner.replaceLink(
      ofEntryAt: id.position, by: .eraseEntry, columns, bodyDigest: nil, row: &family[0].row,
      in: db)
    family[0].row.bytes -= try db.entries.storedBytes(of: id)
    family[0].isChanged = true
    try db.entries.erase(id, link: link)
  }

  /// Gives new previews to the session and its forks after a prompt of the session was erased.
  private mutating func renewPreviews() throws {
    let owner = family[0]
    if owner.row.hasPreview {
      family[0].row.set(preview: try owner.session.preview(below: owner.row.entries, in: db))
    }
    try ForkRepetitions(handle: handle, db: db).renewPreviews(below: owner.row.number)
  }
}

// MARK: - Attachments

extension Erasure {
  /// Erases the artifact, names and captions of an attachment; its place and its maker stay.
  mutating func erase(_ row: AttachmentRow) throws {
    guard let entry = row.entry, entry.session == row.session else { return try eraseRow(row) }
    try SearchIndex.changing(entry, in: db) { try eraseRow(row) }
  }

  private mutating func eraseRow(_ row: AttachmentRow) throws {
    guard row.state != .erased,
      let index = family.firstIndex(where: { $0.session.number == row.session })
    else { return }
    var row = row
    let session = family[index].session
    let artifact = try row.artifact.map {
      try handle.artifacts.artifact(number: $0, handle: handle, in: db)
    }
    unused.add(row.artifact)
    // The record that the entry was imported from holds the attachment's bytes, too.
    if let entry = row.entry { try SourceRemoval.erase(entry...entry, leaving: &unused, in: db) }
    let old = try row.link(in: db).link
    row.artifact = nil
    row.state = .erased
    row.fileName = nil
    row.captions = nil
    row.reference = nil
    let salt = Salt()
    let invocation = try row.invocation.map { try InvocationRow.id($0, in: db) }
    let digest = row.digest(artifact: nil, invocation: invocation?.bytes, salt: salt)
    let link = try family[index].row.chain.replace(
      old, at: row.recorded, by: .erase, digest: digest, in: db)
    try db.attachments.erase(row, link: link, salt: salt)
    family[index].row.bytes -= artifact?.size ?? 0
    family[index].isChanged = true
    for other in family.indices where family[other].row.cover == row.number {
      family[other].row.cover = nil
      family[other].isChanged = true
    }
    hasErased = true
    if row.direction != .content { removed.attachments += 1 }
    change.publish(
      .attached(
        session: session.id,
        Entry.Attachment(row, session: session.id, artifact: nil, invocation: invocation)))
  }
}

// MARK: - Runs

extension Erasure {
  /// Erases what runs repeat of the entry: a run recorded the arguments of its call when it began, and the output when it
  /// ended.
  private mutating func eraseRuns(of entry: Entry, at id: EntryID) throws {
    switch entry.kind {
    case .toolCalls:
      try eraseRuns(of: id, ordinal: nil) { row in
        row.description.arguments = nil
        row.description.parameters = nil
      }
    case .toolOutput:
      guard let call = try family[0].session.callReference(at: id.position, in: db) else { return }
      try eraseRuns(
        of: family[0].session.lineage.id(of: call.position), ordinal: call.ordinal
      ) { row in
        row.output = nil
        row.detail = nil
      }
    default: return
    }
  }

  private mutating func eraseRuns(
    of call: EntryID, ordinal: Int?, _ body: (inout InvocationRow) -> Void
  ) throws {
    for index in family.indices {
      let session = family[index].session
      for var row in try db.invocations.runs(of: call, ordinal: ordinal, in: session.number) {
        let before = (row.description, row.output, row.detail)
        body(&row)
        guard before != (row.description, row.output, row.detail) else { continue }
        row.salt = Salt()
        row.link = try family[index].row.chain.replace(
          row.link, at: row.recorded, by: .erase, digest: row.digest, in: db)
        try db.invocations.updateErased(row)
        family[index].isChanged = true
        hasErased = true
        change.publish(.invoked(session: session.id, row.value(session: session.id)))
      }
    }
  }
}
