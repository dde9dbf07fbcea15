#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension Session {
  /// Records that a tool, or a step of the app, begins to run. The record is durable when this returns.
  ///
  /// What the run makes is attached to it (`madeBy: .invocation(…)`) and kept even if the run fails or its call is never
  /// stored. Give `callID` where it is known; otherwise the run is bound to the call whose output says what it returned.
  /// Give `lane` where several lanes have turns at the same time: the run belongs to the turn of that lane.
  @concurrent
  public func begin(
    _ maker: Invocation.Maker, _ name: String, _ description: Invocation.Description = .init(),
    callID: String? = nil, lane: String? = nil
  ) async throws -> Invocation {
    let session = self
    let owner = try handle.instance()
    let invocationID = UUID()
    return try await handle.write(in: id) { change in
      var row = try SessionRow(session, in: change.db)
      var invocation = InvocationRow(
        id: invocationID, session: session.number,
        turn: try session.currentTurn(of: lane, row: &row, in: change.db), maker: maker,
        name: name, description: description, started: session.handle.now(), callID: callID,
        recorded: row.chain.next)
      if maker == .tool, let callID,
        let call = try session.call(
          callID, ofTurn: invocation.turn, before: row.entries, in: change.db)
      {
        invocation.callEntry = session.lineage.id(of: call.position)
        invocation.callOrdinal = call.ordinal
        invocation.basis = .explicit
      }
      invocation.link = row.chain.begin(
        .invoke, at: invocation.recorded, digest: invocation.digest)
      invocation.number = try invocation.insert(in: change.db)
      try change.locally { change in
        guard
          let begun = try InvocationRow.find(invocationID, session: session.number, in: change.db)
        else { return }
        try change.db.running.begin(
          .invocation, begun.number, of: session.number, owner: owner)
      }
      try row.save(in: change.db)
      let value = invocation.value(session: session.id)
      change.publish(.invoked(session: session.id, value))
      return value
    }
  }

  /// Records how a run ended, also one that was taken for interrupted. The caller's cancellation does not stop this: a
  /// run that is cancelled has to be recorded as ended, too.
  @concurrent @discardableResult
  public func end(
    _ invocation: Invocation, _ outcome: Invocation.Outcome, output: String? = nil,
    detail: String? = nil
  ) async throws -> Invocation {
    let session = self
    return try await handle.write(in: id, isCancellable: false) { change in
      guard
        let found = try InvocationRow.find(invocation.id, session: session.number, in: change.db)
      else {
        _ = try SessionRow(session, in: change.db)
        throw KeepsakeError(
          .notFound, "Invocation \(invocation.id) is not of session \(session.id).",
          object: invocation.id.uuidString)
      }
      guard found.outcome == nil || found.outcome == .interrupted else {
        throw KeepsakeError(
          .conflict, "Invocation \(invocation.id) has ended already.",
          object: invocation.id.uuidString)
      }
      return try session.end(found, outcome, output: output, detail: detail, in: change)
    }
  }

  /// Records the end of a run inside of a write transaction.
  func end(
    _ invocation: InvocationRow, _ outcome: Invocation.Outcome, output: String? = nil,
    detail: String? = nil, in change: Change
  ) throws -> Invocation {
    var row = try SessionRow(self, in: change.db)
    var ended = invocation
    ended.ended = handle.now()
    ended.outcome = outcome
    ended.output = output
    ended.detail = detail
    let value = try rewrite(&ended, as: .conclude, row: &row, in: change)
    try change.locally { try $0.db.running.end(.invocation, invocation.number, of: number) }
    try row.save(in: change.db)
    return value
  }

  /// Tells observers of this process how far a run has got, from 0 to 1. The figure is not stored.
  public func report(_ fraction: Double, note: String? = nil, of invocation: Invocation) {
    handle.observers.publish(
      .progress(session: id, invocation: invocation.id, fraction: fraction, note: note))
  }

  /// Reads the runs of this session, oldest first; with `running`, only the runs that have not ended.
  @concurrent
  public func invocations(running: Bool = false) async throws -> [Invocation] {
    try handle.read { db in
      if running {
        return try Running.numbers(.invocation, of: number, handle: handle, in: db).compactMap {
          try InvocationRow.find($0, in: db)?.value(session: id)
        }
      }
      return try db.invocations.rows(of: number).map { $0.value(session: id) }
    }
  }
}

extension Session {
  /// Writes an invocation that was changed, under a new link.
  func rewrite(
    _ invocation: inout InvocationRow, as operation: Chain.Operation, row: inout SessionRow,
    in change: Change
  ) throws -> Invocation {
    invocation.link = try row.chain.replace(
      invocation.link, at: invocation.recorded, by: operation, digest: invocation.digest,
      in: change.db)
    try invocation.update(in: change.db)
    let value = invocation.value(session: id)
    change.publish(.invoked(session: id, value))
    return value
  }

  /// Binds a run, and all that it made, to the tool call that asked for it.
  func bind(
    _ invocation: inout InvocationRow, to call: Entry.Attachment.CallReference,
    basis: Entry.Attachment.Basis, row: inout SessionRow, in change: Change
  ) throws {
    invocation.callEntry = lineage.id(of: call.position)
    invocation.callOrdinal = call.ordinal
    invocation.basis = basis
    _ = try rewrite(&invocation, as: .bind, row: &row, in: change)
    for var attachment in try change.db.attachments.rows(madeBy: invocation.number) {
      attachment.callEntry = invocation.callEntry
      attachment.callOrdinal = invocation.callOrdinal
      attachment.basis = basis
      _ = try rewrite(&attachment, as: .bind, row: &row, in: change)
    }
  }
}
