#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import SQLite

/// How a saved transcript takes over what its turn recorded while it ran.
extension Session {
  /// Gives an entry that was stored without one the key that its source has for it.
  func adopt(_ key: String, at position: Int, row: inout SessionRow, in change: Change) throws {
    let find = try change.db.prepare(
      "SELECT operation, change, salt, digest, body FROM entry WHERE id = ?")
    let entryID = lineage.id(of: position)
    find.bind(entryID.rawValue, at: 1)
    guard try find.step(), let operation = Chain.Operation(rawValue: find.int(0)),
      let old = find.digest(3), !find.isNull(4)
    else { return }
    var link = RowLink(
      operation: operation, change: find.int(1), salt: find.bytes(2), digest: old)
    let bodyDigest = PreparedEntry.digest(of: find.bytes(4), salt: link.salt)
    find.reset()

    try archive(link, position: position, in: change.db)
    var entry = try EntryReader(self, in: change.db).entries(position..<(position + 1))[0]
    entry.key = key
    let columns = EntryColumns(
      entry, turn: entry.turn, call: try callReference(at: position, in: change.db),
      revised: try lastRevision(of: entryID, in: change.db))
    link.digest = columns.digest(bodyDigest: bodyDigest)
    link.change = row.chain.add(.adopt, position: position, digest: link.digest)
    let update = try change.db.prepare(
      "UPDATE entry SET key = ?, operation = ?, change = ?, digest = ? WHERE id = ?")
    update.bind(key, at: 1)
    update.bind(Chain.Operation.adopt.rawValue, at: 2)
    update.bind(link.change, at: 3)
    update.bind(link.digest, at: 4)
    update.bind(entryID.rawValue, at: 5)
    try update.run()
  }

  /// Binds the calls that were just added to the runs that the turn recorded; gives the runs that stay unbound.
  ///
  /// A call belongs to the run whose output it has: when the output names a label that only this run made, that is
  /// certain. Else it belongs to the only run of its tool with equal arguments. Never by the order of starting: of
  /// three equal calls at once that is wrong one time in three.
  func adopt(from first: Int, row: inout SessionRow, in change: Change) throws -> [Invocation] {
    guard row.entries > first else { return [] }
    let added = try EntryReader(self, in: change.db).entries(first..<row.entries)
    let turns = Set(added.map(\.turn))
    var runs = try turns.flatMap {
      try InvocationRow.unbound(session: number, turn: $0, in: change.db)
    }
    if runs.isEmpty { return [] }
    var calls = try unansweredCalls(of: added, in: change.db)
    try bind(&calls, to: &runs, row: &row, in: change) { call, run in
      run.output != nil && call.outputs.contains { $0.isSameText(as: run.output ?? "") }
    }
    try bind(&calls, to: &runs, row: &row, in: change) { call, run in
      guard let arguments = run.description.arguments else { return false }
      return call.call.arguments.isSameJSON(as: arguments)
    }
    for entry in added {
      guard entry.kind == .toolOutput, let position = entry.position,
        let call = try callReference(at: position, in: change.db)
      else { continue }
      _ = try bindAttachments(madeBy: call, to: entry, row: &row, in: change)
    }
    return runs.map { $0.value(session: id) }
  }

  private struct OpenCall {
    let reference: Entry.Attachment.CallReference
    let call: Entry.ToolCall
    var outputs: [String]
  }

  /// The added calls that no run is bound to, each with what answered it.
  private func unansweredCalls(of added: [Entry], in db: Connection) throws -> [OpenCall] {
    var calls: [OpenCall] = []
    for entry in added {
      guard let position = entry.position else { continue }
      for (ordinal, call) in entry.toolCalls.enumerated() {
        calls.append(
          OpenCall(
            reference: .init(position: position, ordinal: ordinal), call: call, outputs: []))
      }
      guard entry.kind == .toolOutput, let call = try callReference(at: position, in: db) else {
        continue
      }
      for index in calls.indices where calls[index].reference == call {
        calls[index].outputs.append(entry.text)
      }
    }
    return calls
  }

  /// Binds each call and run that match each other and nothing else.
  private func bind(
    _ calls: inout [OpenCall], to runs: inout [InvocationRow], row: inout SessionRow,
    in change: Change, matching: (OpenCall, InvocationRow) -> Bool
  ) throws {
    for call in calls {
      let candidates = runs.indices.filter {
        runs[$0].name == call.call.tool && matching(call, runs[$0])
      }
      guard candidates.count == 1, let index = candidates.first,
        calls.count(where: { $0.call.tool == runs[index].name && matching($0, runs[index]) }) == 1
      else { continue }
      let basis = try certainty(of: call, run: runs[index], in: change.db)
      try bind(&runs[index], to: call.reference, basis: basis, row: &row, in: change)
      runs.remove(at: index)
      calls.removeAll { $0.reference == call.reference }
    }
  }

  /// Explicit where the call's output names a label that the run made; else inferred.
  private func certainty(of call: OpenCall, run: InvocationRow, in db: Connection) throws
    -> Entry.Attachment.Basis
  {
    let made = try AttachmentRow.all("invocation = ? ORDER BY number", in: db) {
      $0.bind(run.number, at: 1)
    }
    let isNamed = made.contains { attachment in
      call.outputs.contains {
        Entry(.toolOutput, segments: [.text($0)]).place(ofLabel: attachment.label) != nil
      }
    }
    return isNamed ? .explicit : .inferred
  }
}

extension String {
  /// Equal as JSON where both are JSON, else equal bytes.
  fileprivate func isSameJSON(as other: String) -> Bool {
    if isSameText(as: other) { return true }
    guard let a = try? JSON(validating: self), let b = try? JSON(validating: other) else {
      return false
    }
    return a.isEquivalent(to: b)
  }
}
