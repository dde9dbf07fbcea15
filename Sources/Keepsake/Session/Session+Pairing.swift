#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SQLite

/// How outputs find their calls, and artifacts the entries of the calls that made them.
extension Session {
  /// The call that a tool output answers: the nearest earlier one with its id that waits, else the nearest.
  func call(answeredBy entry: Entry, before position: Int, in db: Connection) throws
    -> Entry.Attachment.CallReference?
  {
    guard entry.kind == .toolOutput, let id = entry.callID else { return nil }
    return try nearestCall(id: id, before: position, waiting: true, in: db)
      ?? nearestCall(id: id, before: position, waiting: false, in: db)
  }

  func nearestCall(id: String, before position: Int, waiting: Bool, in db: Connection) throws
    -> Entry.Attachment.CallReference?
  {
    for stretch in lineage.stretches(0..<position).reversed() {
      let find =
        waiting
        ? try db.prepare(
          """
          SELECT entry, ordinal FROM tool_call WHERE call_id = ? AND entry BETWEEN ? AND ?
            AND NOT EXISTS (SELECT 1 FROM entry WHERE call_entry = tool_call.entry
              AND call_ordinal = tool_call.ordinal AND id BETWEEN ?4 AND ?5)
          ORDER BY entry DESC, ordinal LIMIT 1
          """)
        : try db.prepare(
          """
          SELECT entry, ordinal FROM tool_call WHERE call_id = ? AND entry BETWEEN ? AND ?
          ORDER BY entry DESC, ordinal LIMIT 1
          """)
      let owner = stretch.piece.session
      find.bind(id, at: 1)
      find.bind(EntryID(session: owner, position: stretch.positions.lowerBound).rawValue, at: 2)
      find.bind(EntryID(session: owner, position: stretch.positions.upperBound - 1).rawValue, at: 3)
      if waiting {
        find.bind(EntryID(session: number, position: 0).rawValue, at: 4)
        find.bind(EntryID(session: number, position: EntryID.maximumPosition).rawValue, at: 5)
      }
      if try find.step() {
        return .init(position: EntryID(rawValue: find.int64(0)).position, ordinal: find.int(1))
      }
    }
    return nil
  }

  /// Binds what a call made, and what has no entry yet, to the output that answers the call.
  func bindAttachments(
    madeBy call: Entry.Attachment.CallReference, to entry: Entry, row: inout SessionRow,
    in change: Change
  ) throws -> [Entry.Attachment] {
    guard let position = entry.position else { return [] }
    let waiting = try AttachmentRow.all(
      "call_entry = ? AND call_ordinal = ? AND entry IS NULL AND session = ? ORDER BY number",
      in: change.db
    ) {
      $0.bind(lineage.id(of: call.position).rawValue, at: 1)
      $0.bind(call.ordinal, at: 2)
      $0.bind(number, at: 3)
    }
    return try waiting.map { waiting in
      var attachment = waiting
      attachment.entry = lineage.id(of: position)
      if attachment.segment == nil, let place = entry.place(ofLabel: attachment.label) {
        attachment.segment = place.segment
        attachment.range = place.range
      }
      return try rewrite(&attachment, as: .bind, row: &row, in: change)
    }
  }

  /// Lets runs and attachments that were recorded before their call was stored find it.
  func bindToCalls(of entry: Entry, row: inout SessionRow, in change: Change) throws {
    guard let position = entry.position else { return }
    for var invocation in try InvocationRow.unbound(
      session: number, turn: entry.turn, in: change.db)
    {
      guard let ordinal = entry.toolCalls.firstIndex(where: { $0.id == invocation.callID }) else {
        continue
      }
      try bind(
        &invocation, to: .init(position: position, ordinal: ordinal), basis: .explicit, row: &row,
        in: change)
    }
    for (ordinal, call) in entry.toolCalls.enumerated() {
      let waiting = try AttachmentRow.all(
        "session = ? AND call_id = ? AND call_entry IS NULL ORDER BY number", in: change.db
      ) {
        $0.bind(number, at: 1)
        $0.bind(call.id, at: 2)
      }
      for var attachment in waiting {
        attachment.callEntry = lineage.id(of: position)
        attachment.callOrdinal = ordinal
        _ = try rewrite(&attachment, as: .bind, row: &row, in: change)
      }
    }
  }

  /// Keeps a link that its row is about to lose.
  func archive(_ link: RowLink, position: Int, in db: Connection) throws {
    let insert = try db.prepare(
      "INSERT INTO change (session, number, operation, position, digest) VALUES (?, ?, ?, ?, ?)")
    insert.bind(number, at: 1)
    insert.bind(link.change, at: 2)
    insert.bind(link.operation.rawValue, at: 3)
    insert.bind(position, at: 4)
    insert.bind(link.digest, at: 5)
    try insert.run()
  }

  /// Writes a changed attachment with a new link, and keeps the link that it had.
  func rewrite(
    _ attachment: inout AttachmentRow, as operation: Chain.Operation, row: inout SessionRow,
    in change: Change
  ) throws -> Entry.Attachment {
    let artifact = try attachment.artifact.map {
      try core.artifacts.artifact(number: $0, core: core, in: change.db)
    }
    let invocation = try attachment.invocation.map { try InvocationRow.id($0, in: change.db) }
    try archive(attachment.link, position: attachment.linkPosition, in: change.db)
    let isFoundByOtherWords =
      operation == .caption || attachment.linkPosition != attachment.entry?.position ?? -1
    attachment.linkPosition = attachment.entry?.position ?? -1
    let digest = attachment.digest(artifact: artifact?.id.digest, invocation: invocation?.bytes)
    attachment.link.operation = operation
    attachment.link.digest = digest
    attachment.link.change = row.chain.add(
      operation, position: attachment.linkPosition, digest: digest)
    if isFoundByOtherWords, let entry = attachment.entry {
      try SearchIndex.changing(entry, in: change.db) { try attachment.update(in: change.db) }
    } else {
      try attachment.update(in: change.db)
    }
    let value = Entry.Attachment(
      attachment, session: id, artifact: artifact, invocation: invocation)
    change.publish(operation == .bind ? .bound(session: id, value) : .attached(session: id, value))
    return value
  }
}
