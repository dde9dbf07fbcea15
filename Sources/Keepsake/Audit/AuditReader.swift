#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Follows attachments back to their calls, prompts and sessions, inside of one snapshot.
///
/// Sessions, calls and prompts that several attachments share are read once.
final class AuditReader {
  private let core: StoreCore
  private let db: Tables
  private var sessions: [Int64: KnownSession] = [:]
  private var calls: [CallKey: Audit.Call?] = [:]
  private var prompts: [TurnKey: Audit.Occurrence.Prompt?] = [:]
  private var invocations: [Int64: Invocation] = [:]
  private var imports: [Int64: [KnownImport]] = [:]

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

  /// An import into a session, with the positions of its entries.
  private struct KnownImport {
    let positions: Range<Int>
    let recorded: Int
    let file: String?
    let digest: String?
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

  init(_ core: StoreCore, in db: Tables) {
    self.core = core
    self.db = db
  }

  /// Returns the attachments that meet a condition on `attachment AS a`, with their whole chains; the condition has the order.
  func occurrences(
    where condition: String, _ bind: (borrowing Statement) -> Void
  ) throws -> [Audit.Occurrence] {
    try AttachmentReader(core, in: db).read(where: condition, bind)
      .filter { $0.value.direction != .content }
      .map { try occurrence($0.row, $0.value) }
  }

  /// Returns the attachments that meet a condition, in brief.
  func products(
    where condition: String, _ bind: (borrowing Statement) -> Void
  ) throws -> [Audit.Product] {
    try AttachmentReader(core, in: db).read(where: condition, bind)
      .filter { $0.value.direction != .content }
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
    let entry = try row.entry.flatMap(entry)
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
        entryDigest: entry?.digest, head: owner.head, changes: owner.changes))
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
      kind: found != nil || isForeign ? .source : .app, file: found?.file, digest: found?.digest)
  }

  private func imports(of session: Int64) throws -> [KnownImport] {
    if let known = imports[session] { return known }
    let find = try db.prepare(
      """
      SELECT i.first, i.count, i.recorded, s.name, s.digest FROM import AS i
        JOIN source AS s ON s.number = i.source WHERE i.session = ? ORDER BY i.number
      """)
    find.bind(session)
    var found: [KnownImport] = []
    while try find.step() {
      let first = try find.int(in: .entries)
      found.append(
        KnownImport(
          positions: first..<(first + (try find.int(in: .entries))), recorded: find.int(),
          file: find.optionalText(), digest: find.digest()?.hex))
    }
    imports[session] = found
    return found
  }
}

// MARK: - Sessions

extension AuditReader {
  private func known(_ number: Int64) throws -> KnownSession {
    if let known = sessions[number] { return known }
    let find = try db.prepare(
      """
      SELECT id, title, state, foreign_id, entries, changes, head FROM session WHERE number = ?
      """)
    find.bind(number)
    guard try find.step(), let id = UUID(bytes: find.bytes(0)), let head = find.digest(6) else {
      throw KeepsakeError(
        .damaged,
        "Session number \(number) is named by an attachment and is not there.", remedy: .verify
      )
    }
    let known = KnownSession(
      session: Session(
        id: id, number: number, lineage: try Lineage(of: number, in: db), core: core),
      title: find.optionalText(1), isShown: find.int(2) < 2, isForeign: !find.isNull(3),
      entries: try find.int(4, in: .entries), changes: try find.int(5, in: .count),
      head: head.hex)
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
    let find = try db.prepare(
      """
      SELECT number, state FROM session WHERE parent = ? AND fork_position > ? AND fork_change >= ?
      ORDER BY number
      """)
    find.bind(number)
    find.bind(position)
    find.bind(change)
    var forks: [(number: Int64, isShown: Bool)] = []
    while try find.step() { forks.append((try find.int64(in: .session), find.int() < 2)) }
    for fork in forks {
      if fork.isShown { return try known(fork.number) }
      // A fork of a fork shows the same entries, at the change at which the first fork was made.
      if let found = try self.fork(of: fork.number, showing: position, at: 0) { return found }
    }
    return nil
  }
}

// MARK: - Entries

extension AuditReader {
  private func entry(_ id: EntryID) throws -> (
    id: UUID?, kind: Entry.Kind, lane: String?, digest: String?
  )? {
    let find = try db.prepare("SELECT uuid, kind, lane, digest FROM entry WHERE id = ?")
    find.bind(id)
    guard try find.step() else { return nil }
    return (
      UUID(bytes: find.bytes()), try .init(code: find.int(), of: "entry \(id.position)"),
      find.optionalText(), find.digest()?.hex
    )
  }

  /// Returns a tool call with its arguments from the entry's body.
  func call(_ entry: EntryID, ordinal: Int) throws -> Audit.Call? {
    let key = CallKey(entry: entry.rawValue, ordinal: ordinal)
    if let known = calls[key] { return known }
    calls[key] = .some(nil)
    let find = try db.prepare(
      """
      SELECT t.ordinal, t.call_id, t.tool, e.body FROM tool_call AS t JOIN entry AS e ON e.id = t.entry
      WHERE t.entry = ? ORDER BY t.ordinal
      """)
    find.bind(entry)
    var written: [Entry.ToolCall]?
    while try find.step() {
      if written == nil {
        written = find.isNull(3) ? [] : try Self.calls(in: find.span(3), at: entry.position)
      }
      let ordinal = find.int(0)
      let arguments = written.flatMap {
        $0.indices.contains(ordinal) ? $0[ordinal].arguments : nil
      }
      calls[CallKey(entry: entry.rawValue, ordinal: ordinal)] = Audit.Call(
        position: entry.position, ordinal: ordinal, id: find.optionalText(1), tool: find.text(2),
        arguments: arguments)
    }
    return calls[key] ?? nil
  }

  private static func calls(in body: RawSpan, at position: Int) throws -> [Entry.ToolCall] {
    var entry = Entry(.toolCalls)
    do {
      try EntryBody.decode(body, into: &entry)
    } catch let error as JSONError {
      throw KeepsakeError(
        .damaged,
        "The tool calls at position \(position) are damaged: \(error.message.clause).",
        remedy: .verify
      )
    }
    return entry.toolCalls
  }

  private func invocation(_ number: Int64) throws -> Invocation? {
    if let known = invocations[number] { return known }
    let find = try db.prepare(
      text: "SELECT \(InvocationRow.columns) FROM invocation WHERE number = ?")
    find.bind(number)
    guard try find.step() else { return nil }
    let row = try InvocationRow(find)
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
    let find = try db.prepare(
      "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND kind = ? ORDER BY id LIMIT 1")
    find.bind(EntryID(session: owner, position: stretch.positions.lowerBound))
    find.bind(EntryID(session: owner, position: stretch.positions.upperBound - 1))
    find.bind(Entry.Kind.prompt.code)
    return try find.step() ? find.entryID().position : nil
  }
}
