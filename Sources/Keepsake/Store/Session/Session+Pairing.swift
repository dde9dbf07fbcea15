#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Pairs outputs with calls, and artifacts with the entries of the calls that made them.
///
/// The ids of calls repeat, because many models count from 1 in every turn. So an id names a call of the turn in which
/// it is used. An output, an attachment or a run that is recorded in a turn under an id belongs to the nearest call of
/// that turn with the id that waits for an output, or else to the nearest call with the id.
///
/// If the turn has no such call, an attachment or a run waits for the call, which may still be stored. A call of an
/// earlier turn gets them only together with an output: when an output comes, its turn has no call with the id, and the
/// earlier call still waits. Whatever finds no call in this way stays without one. A call of a later turn never gets
/// it.
///
/// Lanes are separate: what one lane recorded never belongs to a call of another lane. An attachment to a stored entry
/// is recorded in that entry's turn.
extension Session {
  /// Finds the call that an output answers: a call of its own turn, or else the nearest earlier waiting call of its
  /// lane.
  func call(answeredBy entry: Entry, turn: Int?, before position: Int, in db: Tables) throws
    -> Entry.Attachment.CallReference?
  {
    guard entry.kind == .toolOutput, let id = entry.callID else { return nil }
    if let own = try call(id, ofTurn: turn, lane: entry.lane, before: position, in: db) {
      return own
    }
    var waiting: Entry.Attachment.CallReference?
    try db.entries.forEachCall(id, lane: entry.lane, before: position, in: lineage) { call, _, _ in
      if try isAnswered(call, before: position, in: db) { return true }
      waiting = call
      return false
    }
    return waiting
  }

  /// Finds the call of a turn with an id: the nearest one that waits for an output, or else the nearest.
  /// - Parameter lane: The lane of the call; calls of other lanes are passed over.
  func call(
    _ id: String, ofTurn turn: Int?, lane: String? = nil, before position: Int, in db: Tables
  ) throws -> Entry.Attachment.CallReference? {
    var nearest: Entry.Attachment.CallReference?
    let canOverlap = try db.sessions.areTurnsOverlapping(in: number)
    try db.entries.forEachCall(id, lane: lane, before: position, in: lineage) {
      call, other, itsLane in
      if other != turn {
        // Turn numbers only grow along the entries of one lane, so an earlier turn of the same lane ends the search.
        return canOverlap && itsLane != lane || (other ?? 0) > (turn ?? 0)
      }
      if try isAnswered(call, before: position, in: db) {
        nearest = nearest ?? call
        return true
      }
      nearest = call
      return false
    }
    return nearest
  }

  private func isAnswered(
    _ call: Entry.Attachment.CallReference, before position: Int, in db: Tables
  ) throws -> Bool {
    try db.entries.lastAnswer(to: call, before: position, in: lineage) != nil
  }

  /// Binds new attachments to the outputs of their calls if the outputs are stored already; returns all attachments.
  func bindToOutputs(
    _ attached: [Entry.Attachment], row: inout SessionRow, in change: Change
  ) throws -> [Entry.Attachment] {
    var attached = attached
    /// The number of attachments that each output has, by its position.
    var places: [Int64: Int] = [:]
    for index in attached.indices where attached[index].position == nil {
      guard let call = attached[index].call,
        let position = try change.db.entries.lastAnswer(
          to: call, before: row.entries, in: lineage),
        // The attachments that it has already say nothing of the new ones, and there may be many.
        let output = try EntryReader(self, readsAttachments: false, in: change.db)
          .entries(position..<position + 1).first
      else { continue }
      if places.isEmpty {
        for (place, attachment) in attached.enumerated() { places[attachment.recording] = place }
      }
      for bound in try bindAttachments(madeBy: call, to: output, row: &row, in: change) {
        if let place = places[bound.recording] { attached[place] = bound }
      }
    }
    return attached
  }

  /// Binds the attachments that a call made, and that have no entry yet, to the output that answers the call.
  func bindAttachments(
    madeBy call: Entry.Attachment.CallReference, to entry: Entry, row: inout SessionRow,
    in change: Change
  ) throws -> [Entry.Attachment] {
    guard let position = entry.position else { return [] }
    let waiting = try change.db.attachments.rowsWithoutEntry(
      madeBy: lineage.id(of: call.position), ordinal: call.ordinal, of: number)
    if waiting.isEmpty { return [] }
    var places = LabelPlaces(entry)
    return try waiting.map { waiting in
      var attachment = waiting
      attachment.entry = lineage.id(of: position)
      if attachment.segment == nil, let place = places.place(of: attachment.label) {
        attachment.segment = place.segment
        attachment.range = place.range
      }
      return try rewrite(&attachment, as: .bind, row: &row, in: change)
    }
  }

  /// Binds runs and attachments to the calls of a new entry, if they were recorded before it in the same turn.
  func bindToCalls(of entry: Entry, row: inout SessionRow, in change: Change) throws {
    guard let position = entry.position else { return }
    // Read once: there may be as many runs as calls.
    let unbound = try InvocationRow.unbound(session: number, turn: entry.turn, in: change.db)
    var runs = Dictionary(grouping: unbound) { Array($0.ownCallID.utf8) }
    for (ordinal, call) in entry.toolCalls.enumerated() {
      let reference = Entry.Attachment.CallReference(position: position, ordinal: ordinal)
      if !runs.isEmpty {
        for var run in runs.removeValue(forKey: Array(call.id.utf8)) ?? [] {
          try bind(&run, to: reference, basis: .explicit, row: &row, in: change)
        }
      }
      try bindAttachments(
        waitingFor: call.id, from: entry.turn, to: reference, through: entry.turn, row: &row,
        in: change)
    }
  }

  /// Binds what was recorded under a call's id in later turns to the call, because an output answers it now.
  func bindToCall(
    _ call: Entry.Attachment.CallReference, answeredBy entry: Entry, row: inout SessionRow,
    in change: Change
  ) throws {
    guard let id = entry.callID else { return }
    guard let asking = try change.db.entries.turnAndLane(of: lineage.id(of: call.position)) else {
      return
    }
    let turn = asking.turn
    let lane = asking.lane ?? entry.lane
    guard turn != entry.turn else { return }
    var others: Set<Int> = []
    if let lane, row.hasOverlappingTurns {
      others = try change.db.turns.ofOtherLanes(than: lane, from: turn ?? 1, of: number)
    }
    for var invocation in try InvocationRow.unbound(
      session: number, from: turn, through: entry.turn, in: change.db)
    where invocation.callID?.isSameText(as: id) == true
      && !(invocation.turn.map(others.contains) ?? false)
    {
      try bind(&invocation, to: call, basis: .explicit, row: &row, in: change)
    }
    try bindAttachments(
      waitingFor: id, from: turn, to: call, through: entry.turn, except: others, row: &row,
      in: change)
  }

  private func bindAttachments(
    waitingFor id: String, from first: Int?, to call: Entry.Attachment.CallReference,
    through last: Int?, except others: Set<Int> = [], row: inout SessionRow, in change: Change
  ) throws {
    func isWaiting(_ turn: Int?) -> Bool {
      first ?? 0 <= turn ?? 0 && turn ?? 0 <= last ?? 0 && !(turn.map(others.contains) ?? false)
    }
    let waiting = try change.db.attachments.rowsWithoutCall(id, of: number)
    for var attachment in waiting where isWaiting(attachment.turn) {
      attachment.callEntry = lineage.id(of: call.position)
      attachment.callOrdinal = call.ordinal
      _ = try rewrite(&attachment, as: .bind, row: &row, in: change)
    }
  }

  /// Writes a changed attachment with a new link, and archives its earlier link.
  func rewrite(
    _ attachment: inout AttachmentRow, as operation: Chain.Operation, row: inout SessionRow,
    in change: Change
  ) throws -> Entry.Attachment {
    let artifact = try attachment.artifact.map {
      try handle.artifacts.artifact(number: $0, handle: handle, in: change.db)
    }
    let invocation = try attachment.invocation.map { try InvocationRow.id($0, in: change.db) }
    let (old, salt) = try attachment.link(in: change.db)
    let isRead = operation == .caption || attachment.storedEntry != attachment.entry
    attachment.storedEntry = attachment.entry
    let digest = attachment.digest(
      artifact: artifact?.id.digest, invocation: invocation?.bytes, salt: salt)
    let link = try row.chain.replace(
      old, at: attachment.recorded, by: operation, digest: digest, in: change.db)
    if isRead, let entry = attachment.entry {
      try SearchIndex.changing(entry, in: change.db) {
        try attachment.update(link: link, in: change.db)
      }
    } else {
      try attachment.update(link: link, in: change.db)
    }
    let value = Entry.Attachment(
      attachment, session: id, artifact: artifact, invocation: invocation)
    change.publish(operation == .bind ? .bound(session: id, value) : .attached(session: id, value))
    return value
  }
}
