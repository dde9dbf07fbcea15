#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

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
    try forEachCall(id, lane: entry.lane, before: position, in: db) { call, _, _ in
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
    let canOverlap = try EntryReader(self, in: db).areTurnsOverlapping()
    try forEachCall(id, lane: lane, before: position, in: db) { call, other, itsLane in
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

  /// Passes the calls with an id, with their turns and lanes, to a closure, the nearest first, until it returns false.
  ///
  /// Calls of other lanes than the given one are passed over.
  private func forEachCall(
    _ id: String, lane: String?, before position: Int, in db: Tables,
    _ body: (Entry.Attachment.CallReference, _ turn: Int?, _ lane: String?) throws -> Bool
  ) throws {
    for stretch in lineage.stretches(0..<position).reversed() {
      let find = try db.prepare(
        """
        SELECT c.entry, c.ordinal, e.turn, e.lane FROM tool_call AS c
        JOIN entry AS e ON e.id = c.entry
        WHERE c.call_id = ?1 AND c.entry BETWEEN ?2 AND ?3
          AND (e.lane IS NULL OR ?4 IS NULL OR e.lane = ?4)
        ORDER BY c.entry DESC, c.ordinal
        """)
      let owner = stretch.piece.session
      find.bind(id)
      find.bind(EntryID.range(stretch.positions, of: owner))
      find.bind(lane)
      while try find.step() {
        let position = find.entryID().position
        let ordinal = try find.int(in: .index)
        let turn = try find.optionalInt(in: .count)
        let lane = find.optionalText()
        let call = Entry.Attachment.CallReference(position: position, ordinal: ordinal)
        guard try body(call, turn, lane) else { return }
      }
    }
  }

  private func isAnswered(
    _ call: Entry.Attachment.CallReference, before position: Int, in db: Tables
  ) throws -> Bool {
    try answer(to: call, before: position, in: db) != nil
  }

  /// Finds the last output before a position that answers a call and that this session shows.
  private func answer(
    to call: Entry.Attachment.CallReference, before position: Int, in db: Tables
  ) throws -> Int? {
    let find = try db.prepare("SELECT id FROM entry WHERE call_entry = ? AND call_ordinal = ?")
    find.bind(lineage.id(of: call.position))
    find.bind(call.ordinal)
    var last: Int?
    while try find.step() {
      let answer = find.entryID()
      guard answer.position < position, answer == lineage.id(of: answer.position) else { continue }
      last = max(last ?? 0, answer.position)
    }
    return last
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
        let position = try answer(to: call, before: row.entries, in: change.db),
        // What hangs on it already says nothing of what is new, and there may be much of it.
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
    let waiting = try AttachmentRow.all(
      "call_entry = ? AND call_ordinal = ? AND entry IS NULL AND session = ? ORDER BY number",
      in: change.db
    ) {
      $0.bind(lineage.id(of: call.position))
      $0.bind(call.ordinal)
      $0.bind(number)
    }
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
    let find = try change.db.prepare("SELECT turn, lane FROM entry WHERE id = ?")
    find.bind(lineage.id(of: call.position))
    guard try find.step() else { return }
    let turn = try find.optionalInt(in: .count)
    let lane = find.optionalText() ?? entry.lane
    guard turn != entry.turn else { return }
    find.reset()
    var others: Set<Int> = []
    if let lane, row.hasOverlappingTurns {
      others = try turns(ofOtherLanesThan: lane, from: turn ?? 1, in: change.db)
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

  /// Returns the turns, from a first one on, that belong to other lanes alone.
  private func turns(ofOtherLanesThan lane: String, from first: Int, in db: Tables) throws
    -> Set<Int>
  {
    let find = try db.prepare(
      """
      SELECT number FROM turn WHERE session = ?1 AND number >= ?2 AND lane <> ?3
      UNION SELECT turn FROM entry WHERE id BETWEEN ?4 AND ?5 AND turn >= ?2 AND kind = ?6
        AND lane <> ?3
        AND NOT EXISTS (SELECT 1 FROM turn WHERE session = ?1 AND number = entry.turn)
      """)
    find.bind(number)
    find.bind(first)
    find.bind(lane)
    find.bind(EntryID.all(of: number))
    find.bind(Entry.Kind.prompt.code)
    var turns: Set<Int> = []
    while try find.step() { turns.insert(try find.int(in: .count)) }
    return turns
  }

  private func bindAttachments(
    waitingFor id: String, from first: Int?, to call: Entry.Attachment.CallReference,
    through last: Int?, except others: Set<Int> = [], row: inout SessionRow, in change: Change
  ) throws {
    func isWaiting(_ turn: Int?) -> Bool {
      first ?? 0 <= turn ?? 0 && turn ?? 0 <= last ?? 0 && !(turn.map(others.contains) ?? false)
    }
    let waiting = try AttachmentRow.all(
      "session = ? AND call_id = ? AND call_entry IS NULL ORDER BY number", in: change.db
    ) {
      $0.bind(number)
      $0.bind(id)
    }
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
      try core.artifacts.artifact(number: $0, core: core, in: change.db)
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
