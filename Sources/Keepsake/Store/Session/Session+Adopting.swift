#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Lets a saved transcript take over what was recorded while its turn ran.
extension Session {
  /// Gives a stored entry without a key the key that its source has for it.
  ///
  /// The entry also takes over what the source says beside the content: ids of segments, options, the response's
  /// format.
  func adopt(
    _ source: Entry, at position: Int, salt: Salt, row: inout SessionRow, in change: Change
  ) throws {
    var entry = try EntryReader(self, in: change.db).entries(position..<(position + 1))[0]
    if entry.isErased { return }
    entry.key = source.key
    entry.segments = source.segments
    entry.metadata = entry.metadata ?? source.metadata
    entry.options = entry.options ?? source.options
    entry.responseFormat = entry.responseFormat ?? source.responseFormat
    entry.toolDefinitions = entry.toolDefinitions ?? source.toolDefinitions
    entry.signature = entry.signature ?? source.signature

    let entryID = lineage.id(of: position)
    let prepared = try PreparedEntry(entry, salt: salt)
    let columns = EntryColumns(
      entry, turn: entry.turn, call: try callReference(at: position, in: change.db),
      revised: try change.db.revisions.last(of: entryID))
    let link = try replaceLink(
      ofEntryAt: position, by: .adopt, columns, bodyDigest: prepared.bodyDigest, row: &row,
      in: change.db)
    row.bytes += Int64(prepared.body.count) - (try change.db.entries.bodySize(of: entryID))
    try change.db.entries.update(
      entryID, key: entry.key, link: link, salt: salt, body: prepared.body)
    if let key = entry.key {
      try row.newestKeys.change(entryID, to: key, entries: row.entries, in: change.db)
    }
  }

  /// Binds calls that were just added, or answered, to the runs that the turn recorded.
  ///
  /// A call belongs to the run that gave its output. That is certain if the output names a label that only this run
  /// made. Otherwise, the call belongs to the only run of its tool with equal arguments. The order in which runs
  /// started never counts, because of three equal calls at once it is wrong one time in three.
  /// - Returns: The runs that stay unbound, and the attachments that were bound, by position.
  func bindRuns(to added: [Entry], row: inout SessionRow, in change: Change) throws -> (
    unbound: [InvocationRow], bound: [Int: [Entry.Attachment]]
  ) {
    let turns = Set(
      added.lazy.filter { $0.kind == .toolCalls || $0.kind == .toolOutput }.map(\.turn))
    var runs = try turns.flatMap {
      try InvocationRow.unbound(session: number, turn: $0, in: change.db)
    }
    if runs.isEmpty { return ([], [:]) }
    var calls = try openCalls(of: added, in: change.db)
    try bind(&calls, to: &runs, row: &row, in: change) { call, run in
      guard let output = run.output else { return false }
      return call.outputs.contains { $0.isSameJSON(as: output) }
    }
    try bind(&calls, to: &runs, row: &row, in: change) { call, run in
      guard let arguments = run.description.arguments else { return false }
      return call.call.arguments.isSameJSON(as: arguments)
    }
    var bound: [Int: [Entry.Attachment]] = [:]
    for entry in added {
      guard entry.kind == .toolOutput, let position = entry.position,
        let call = try callReference(at: position, in: change.db)
      else { continue }
      bound[position] = try bindAttachments(madeBy: call, to: entry, row: &row, in: change)
    }
    return (runs, bound)
  }

  private struct OpenCall {
    let reference: Entry.Attachment.CallReference
    let call: Entry.ToolCall
    var outputs: [String]
  }

  /// Returns the calls, among those added or answered, to which no run is bound, each with its answer.
  private func openCalls(of added: [Entry], in db: Tables) throws -> [OpenCall] {
    var calls: [OpenCall] = []
    var places: [Entry.Attachment.CallReference: Int] = [:]
    func add(_ reference: Entry.Attachment.CallReference, _ call: Entry.ToolCall) throws {
      let isBound = try db.invocations.hasRun(
        of: lineage.id(of: reference.position), ordinal: reference.ordinal, in: number)
      if isBound { return }
      places[reference] = calls.count
      calls.append(OpenCall(reference: reference, call: call, outputs: []))
    }
    for entry in added {
      guard let position = entry.position else { continue }
      for (ordinal, call) in entry.toolCalls.enumerated() {
        try add(.init(position: position, ordinal: ordinal), call)
      }
      guard entry.kind == .toolOutput, let reference = try callReference(at: position, in: db)
      else { continue }
      if places[reference] == nil,
        let asking = try EntryReader(self, readsAttachments: false, in: db)
          .entries(reference.position..<reference.position + 1).first, asking.turn == entry.turn,
        asking.toolCalls.indices.contains(reference.ordinal)
      {
        try add(reference, asking.toolCalls[reference.ordinal])
      }
      if let place = places[reference] { calls[place].outputs.append(entry.answer) }
    }
    return calls
  }

  /// Binds each call to a run if the two match each other and nothing else.
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

  /// Returns `explicit` if the call's output names a label that the run made, and `inferred` otherwise.
  private func certainty(of call: OpenCall, run: InvocationRow, in db: Tables) throws
    -> Entry.Attachment.Basis
  {
    let made = try db.attachments.rows(madeBy: run.number)
    var places = LabelPlaces(Entry(.toolOutput, segments: call.outputs.map { .text($0) }))
    let isNamed = made.contains { places.place(of: $0.label) != nil }
    return isNamed ? .explicit : .inferred
  }
}

extension Entry {
  /// The tool's answer as text. If it is nothing but a structure, this is its JSON.
  fileprivate var answer: String {
    guard segments.count == 1, case .structure(let json, _) = segments[0].content else {
      return text
    }
    return json.text
  }
}

extension String {
  /// Returns whether two texts are equal as JSON, or else byte for byte.
  fileprivate func isSameJSON(as other: String) -> Bool {
    if isSameText(as: other) { return true }
    guard let a = try? JSON(validating: self), let b = try? JSON(validating: other) else {
      return false
    }
    return a.isEquivalent(to: b)
  }
}
