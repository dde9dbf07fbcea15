#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Follows attachments back to their calls, prompts and sessions, inside of one snapshot.
///
/// Sessions, calls and prompts that several attachments share are read once.
final class AuditReader {
  private let handle: StoreHandle
  private let db: Tables
  private var sessions: [Int64: KnownSession] = [:]
  private var calls: [CallKey: Audit.Call?] = [:]
  private var prompts: [TurnKey: Audit.Occurrence.Prompt?] = [:]
  private var invocations: [Int64: Invocation] = [:]
  private var imports: [Int64: [AuditedImport]] = [:]

  /// A session that was read before.
  private struct KnownSession {
    let session: Session
    let title: String?
    let isShown: Bool
    let isForeign: Bool
    let entries: Int
    let changes: Int
    let head: String
  }

  /// Identifies a tool call by its entry and ordinal.
  private struct CallKey: Hashable {
    let entry: Int64
    let ordinal: Int
  }

  /// Identifies a turn by its session and number.
  private struct TurnKey: Hashable {
    let session: Int64
    let turn: Int
  }

  init(_ handle: StoreHandle, in db: Tables) {
    self.handle = handle
    self.db = db
  }

  /// A reader of attachments in the same snapshot.
  var attachments: AttachmentReader { AttachmentReader(handle, in: db) }

  /// Returns attachments with their whole chains, except large texts of entries.
  func occurrences(_ found: AttachmentReader.Found) throws -> [Audit.Occurrence] {
    try found.filter { $0.value.direction != .content }
      .map { try occurrence($0.row, $0.value) }
  }

  /// Returns attachments in brief, except large texts of entries.
  func products(_ found: AttachmentReader.Found) throws -> [Audit.Product] {
    try found.filter { $0.value.direction != .content }
      .map { row, value in
        Audit.Product(
          recording: row.number, created: value.created, artifact: value.artifact?.id,
          size: value.artifact?.size, mediaType: value.mediaType ?? value.artifact?.sniffedType,
          session: try shown(row).session.id, position: value.position, label: value.label,
          maker: value.maker, tool: value.tool, callID: row.callID, basis: value.basis,
          state: value.state)
      }
  }

  private func occurrence(_ row: AttachmentRow, _ value: Entry.Attachment) throws
    -> Audit.Occurrence
  {
    let owner = try known(row.session)
    let shown = try shown(row)
    let entry = try row.entry.flatMap { try db.entries.audited($0) }
    let invocation = try row.invocation.flatMap { try self.invocation($0) }
    let what = invocation?.description
    let link = try row.link(in: db).link
    return Audit.Occurrence(
      recording: row.number, created: value.created,
      recordedBy: try recorder(of: row, isForeign: value.maker == .source || owner.isForeign),
      session: shown.session.id, title: shown.title, turn: row.turn, lane: entry?.lane,
      position: value.position, entry: entry?.id, entryKind: entry?.kind, segment: row.segment,
      place: value.place, artifact: value.artifact?.id, size: value.artifact?.size,
      sniffedType: value.artifact?.sniffedType, pixelSize: value.artifact?.pixelSize,
      mediaType: value.mediaType, fileName: row.fileName, label: row.label,
      declaredLabel: row.declaredLabel, captions: value.captions, direction: row.direction,
      maker: .init(
        kind: row.maker, name: invocation?.name ?? row.tool, implementation: what?.implementation,
        version: what?.version, model: what?.model, parameters: what?.parameters),
      basis: row.basis, basisReason: BasisReason.sentence(for: row, invocation: invocation),
      invocation: invocation,
      call: try row.callEntry.flatMap { try call($0, ordinal: row.callOrdinal ?? 0) },
      tool: row.tool, callID: row.callID, reference: row.reference, inputs: value.inputs,
      prompt: try row.turn.flatMap { try prompt(of: $0, in: shown) }, state: row.state,
      link: .init(
        session: owner.session.id, change: link.change, digest: link.digest.hex,
        entryDigest: entry?.digest?.hex, head: owner.head, changes: owner.changes))
  }
}

// MARK: - Imports

extension AuditReader {
  /// Returns the import that brought an attachment together with its entry, or else the app.
  private func recorder(of row: AttachmentRow, isForeign: Bool) throws -> Audit.Occurrence.Recorder
  {
    let found = try imports(of: row.session).first {
      guard let position = row.entry?.position else { return false }
      return row.recorded < $0.recorded && $0.positions.contains(position)
    }
    return .init(
      kind: found != nil || isForeign ? .source : .app, file: found?.file,
      digest: found?.digest?.hex)
  }

  private func imports(of session: Int64) throws -> [AuditedImport] {
    if let known = imports[session] { return known }
    let found = try db.sources.imports(into: session)
    imports[session] = found
    return found
  }
}

// MARK: - Sessions

extension AuditReader {
  private func known(_ number: Int64) throws -> KnownSession {
    if let known = sessions[number] { return known }
    guard let found = try db.sessions.audited(number) else {
      throw KeepsakeError(
        .damaged,
        "Session number \(number) is named by an attachment and is not there.", remedy: .verify
      )
    }
    let known = KnownSession(
      session: Session(
        id: found.id, number: number, lineage: try Lineage(of: number, in: db), handle: handle),
      title: found.title, isShown: found.isShown, isForeign: found.isForeign,
      entries: found.entries, changes: found.changes, head: found.head.hex)
    sessions[number] = known
    return known
  }

  /// Returns the session that shows an attachment: the one that recorded it, or its oldest fork if it was deleted.
  private func shown(_ row: AttachmentRow) throws -> KnownSession {
    let owner = try known(row.session)
    guard !owner.isShown, let entry = row.entry else { return owner }
    return try fork(of: row.session, showing: entry.position, at: row.recorded) ?? owner
  }

  private func fork(of number: Int64, showing position: Int, at change: Int) throws
    -> KnownSession?
  {
    for fork in try db.sessions.forks(of: number, sharing: position, change: change) {
      if fork.isShown { return try known(fork.number) }
      // A fork of a fork shows the same entries, at the change at which the first fork was made.
      if let found = try self.fork(of: fork.number, showing: position, at: 0) { return found }
    }
    return nil
  }
}

// MARK: - Entries

extension AuditReader {
  /// Returns a tool call with its arguments from the entry's body.
  func call(_ entry: EntryID, ordinal: Int) throws -> Audit.Call? {
    let key = CallKey(entry: entry.rawValue, ordinal: ordinal)
    if let known = calls[key] { return known }
    calls[key] = .some(nil)
    try db.entries.forEachCall(of: entry) { ordinal, id, tool, written in
      let arguments = written.indices.contains(ordinal) ? written[ordinal].arguments : nil
      calls[CallKey(entry: entry.rawValue, ordinal: ordinal)] = Audit.Call(
        position: entry.position, ordinal: ordinal, id: id, tool: tool, arguments: arguments)
    }
    return calls[key] ?? nil
  }

  private func invocation(_ number: Int64) throws -> Invocation? {
    if let known = invocations[number] { return known }
    guard let row = try InvocationRow.find(number, in: db) else { return nil }
    let value = row.value(session: try known(row.session).session.id)
    invocations[number] = value
    return value
  }

  func prompt(of turn: Int, in session: Int64) throws -> Audit.Occurrence.Prompt? {
    try prompt(of: turn, in: known(session))
  }

  /// Returns the first prompt of a turn, by a binary search, because turn numbers ascend along a session.
  private func prompt(of turn: Int, in known: KnownSession) throws -> Audit.Occurrence.Prompt? {
    let key = TurnKey(session: known.session.number, turn: turn)
    if let prompt = prompts[key] { return prompt }
    let prompt = try readPrompt(of: turn, in: known)
    prompts[key] = .some(prompt)
    return prompt
  }

  private func readPrompt(of turn: Int, in known: KnownSession) throws -> Audit.Occurrence.Prompt? {
    let reader = EntryReader(known.session, in: db)
    for positions in try reader.stretches(ofTurn: turn, below: known.entries) {
      for stretch in known.session.lineage.stretches(positions) {
        guard let position = try firstPrompt(in: stretch) else { continue }
        return try reader.entries(position..<(position + 1)).first.map {
          Audit.Occurrence.Prompt(position: position, text: $0.text)
        }
      }
    }
    return nil
  }

  private func firstPrompt(in stretch: (piece: Lineage.Piece, positions: Range<Int>)) throws -> Int?
  {
    let owner = stretch.piece.session
    let first = EntryID(session: owner, position: stretch.positions.lowerBound)
    let last = EntryID(session: owner, position: stretch.positions.upperBound - 1)
    return try db.entries.first(.prompt, in: first...last)?.position
  }
}
