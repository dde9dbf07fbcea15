#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import SQLite

extension Session {
  /// Records that a tool, or a step of the app, begins to run. Durable when it returns.
  ///
  /// What it makes is attached to it (`madeBy: .invocation(…)`) and kept even if the run fails or its call is never
  /// stored. Give `callID` where it is known; otherwise the run is bound to its call when the transcript is saved.
  @concurrent
  public func begin(
    _ maker: Invocation.Maker, _ name: String, _ description: Invocation.Description = .init(),
    callID: String? = nil
  ) async throws -> Invocation {
    let session = self
    let invocationID = UUID()
    return try await core.write { change in
      var row = try SessionRow(session, in: change.db)
      var invocation = InvocationRow(
        id: invocationID, session: session.number, turn: row.turns == 0 ? nil : row.turns,
        maker: maker, name: name, description: description, started: session.core.now(),
        callID: callID, recorded: row.chain.count + 1)
      if maker == .tool, let callID,
        let call = try session.call(
          callID, ofTurn: invocation.turn, before: row.entries, in: change.db)
      {
        invocation.callEntry = session.lineage.id(of: call.position)
        invocation.callOrdinal = call.ordinal
        invocation.basis = .explicit
      }
      invocation.link.digest = invocation.digest
      invocation.link.change = row.chain.add(
        .invoke, position: invocation.recorded, digest: invocation.link.digest)
      invocation.number = try invocation.insert(in: change.db)
      try row.save(in: change.db)
      let value = invocation.value(session: session.id)
      change.publish(.invoked(session: session.id, value))
      return value
    }
  }

  /// Records how a run ended. Not stopped by the caller's cancellation: it is then that an app needs it.
  @concurrent @discardableResult
  public func end(
    _ invocation: Invocation, _ outcome: Invocation.Outcome, output: String? = nil,
    detail: String? = nil
  ) async throws -> Invocation {
    let session = self
    return try await core.writeUncancelled { change in
      var row = try SessionRow(session, in: change.db)
      guard
        var found = try InvocationRow.find(invocation.id, session: session.number, in: change.db)
      else {
        throw KeepsakeError(
          .notFound, "Invocation \(invocation.id) is not of session \(session.id).",
          object: invocation.id.uuidString)
      }
      guard found.outcome == nil else {
        throw KeepsakeError(
          .conflict, "Invocation \(invocation.id) has ended already.",
          object: invocation.id.uuidString)
      }
      found.ended = session.core.now()
      found.outcome = outcome
      found.output = output
      found.detail = detail
      let value = try session.rewrite(&found, as: .conclude, row: &row, in: change)
      try row.save(in: change.db)
      return value
    }
  }

  /// Tells observers of this process how far a run has got, from 0 to 1. It is not stored.
  public func report(_ fraction: Double, note: String? = nil, of invocation: Invocation) {
    core.hub.publish(
      .progress(session: id, invocation: invocation.id, fraction: fraction, note: note))
  }

  /// The runs of this session, oldest first; with `running`, only those that have not ended.
  @concurrent
  public func invocations(running: Bool = false) async throws -> [Invocation] {
    try core.read { db in
      let find = try db.prepare(
        text: """
          SELECT \(InvocationRow.columns) FROM invocation
          WHERE session = ? AND (? = 0 OR outcome IS NULL) ORDER BY number
          """)
      find.bind(number, at: 1)
      find.bind(running, at: 2)
      var found: [Invocation] = []
      while try find.step() { found.append(try InvocationRow(find).value(session: id)) }
      return found
    }
  }
}

extension Session {
  /// Writes a changed invocation with a new link, and keeps the link that it had.
  func rewrite(
    _ invocation: inout InvocationRow, as operation: Chain.Operation, row: inout SessionRow,
    in change: Change
  ) throws -> Invocation {
    try archive(invocation.link, position: invocation.recorded, in: change.db)
    invocation.link.operation = operation
    invocation.link.digest = invocation.digest
    invocation.link.change = row.chain.add(
      operation, position: invocation.recorded, digest: invocation.link.digest)
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
    let made = try AttachmentRow.all("invocation = ? ORDER BY number", in: change.db) {
      $0.bind(invocation.number, at: 1)
    }
    for var attachment in made {
      attachment.callEntry = invocation.callEntry
      attachment.callOrdinal = invocation.callOrdinal
      attachment.basis = basis
      _ = try rewrite(&attachment, as: .bind, row: &row, in: change)
    }
  }
}
