#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Tells the observers of a session what a commit of another store changed.
struct CommitEvents {
  private let target: CommitWriter.Target
  private let rows: CommitRowWriter
  private let db: Tables
  private var session: Session { target.session }

  init(_ target: CommitWriter.Target, _ rows: CommitRowWriter, in db: Tables) {
    self.target = target
    self.rows = rows
    self.db = db
  }

  func publish(_ commit: SessionCommit, in change: Change) throws {
    guard try db.sessions.isShown(session.number, id: session.id.bytes) else { return }
    if target.isNew { change.publish(.created(session: session.id)) }
    if target.entries > target.before {
      change.publish(.appended(session: session.id, positions: target.before..<target.entries))
    }
    if rows.isRenamed, !target.isNew { change.publish(.renamed(session: session.id)) }
    for record in commit.records { try publish(record, in: change) }
  }

  private func publish(_ record: CopyRecord, in change: Change) throws {
    switch record.kind {
    case .entry:
      guard let position = record.int(at: EntryIndexes.position), position < target.before else {
        return
      }
      change.publish(.revised(session: session.id, position: position))
    case .turn:
      guard let number = record.int("number"),
        let turn = try db.turns.turn(number, of: session.number, id: session.id)
      else { return }
      change.publish(.turn(session: session.id, turn))
    case .invocation:
      guard let number = try db.commits.invocation(record.bytes("id"), in: session.number)?.number,
        let row = try InvocationRow.find(number, in: db)
      else { return }
      change.publish(.invoked(session: session.id, row.value(session: session.id)))
    case .attachment: try publish(attachment: record, in: change)
    default: return
    }
  }

  /// Tells of an attachment, unless it came with its entry.
  private func publish(attachment record: CopyRecord, in change: Change) throws {
    let position = record.int("position")
    if let position, position >= target.before { return }
    let recorded = record.int("chain.recorded") ?? 0
    let entry = position.map { session.lineage.id(of: $0) }
    guard
      let number = try db.commits.attachment(recordedBy: recorded, at: entry, in: session.number)?
        .number,
      let row = try db.attachments.row(number)
    else { return }
    let handle = session.handle
    let attachment = Entry.Attachment(
      row, session: session.id,
      artifact: try row.artifact.map {
        try handle.artifacts.artifact(number: $0, handle: handle, in: db)
      },
      invocation: try row.invocation.map { try InvocationRow.id($0, in: db) })
    change.publish(
      rows.knownAttachments.contains(recorded) && position != nil
        ? .bound(session: session.id, attachment) : .attached(session: session.id, attachment))
  }
}
