import KeepsakeSQLite

/// Tool calls, and the outputs that answer them.
extension EntryTable {
  /// Finds the call that an entry answers; nil if it answers none.
  func call(answeredBy id: EntryID) throws -> Entry.Attachment.CallReference? {
    let find = try db.prepare("SELECT call_entry, call_ordinal FROM entry WHERE id = ?")
    find.bind(id)
    guard try find.step(), let call = find.optionalEntryID() else { return nil }
    return .init(position: call.position, ordinal: try find.int(in: .index))
  }

  /// Passes the calls with an id, with their turns and lanes, to a closure, the nearest first, until it returns false.
  ///
  /// Calls of other lanes than the given one are passed over.
  func forEachCall(
    _ id: String, lane: String?, before position: Int, in lineage: Lineage,
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
      find.bind(id)
      find.bind(EntryID.range(stretch.positions, of: stretch.piece.session))
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

  /// Finds the last output before a position that answers a call and that a lineage shows.
  func lastAnswer(
    to call: Entry.Attachment.CallReference, before position: Int, in lineage: Lineage
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

  /// Finds the outputs that answer the calls at some positions, with their calls, by the positions of the outputs.
  func answers(to calls: Range<Int>, in lineage: Lineage, below end: Int) throws
    -> [Int: Entry.Attachment.CallReference]
  {
    try answers(
      """
      SELECT id, call_entry, call_ordinal FROM entry WHERE call_entry BETWEEN ? AND ?
      ORDER BY call_entry, call_ordinal
      """, calls, in: lineage, below: end)
  }

  /// Finds the calls that the outputs at some positions answer, by the positions of the outputs.
  func calls(answeredBy outputs: Range<Int>, in lineage: Lineage, below end: Int) throws
    -> [Int: Entry.Attachment.CallReference]
  {
    try answers(
      """
      SELECT id, call_entry, call_ordinal FROM entry
      WHERE id BETWEEN ? AND ? AND call_entry IS NOT NULL
      """, outputs, in: lineage, below: end)
  }

  private func answers(
    _ sql: StaticString, _ positions: Range<Int>, in lineage: Lineage, below end: Int
  ) throws -> [Int: Entry.Attachment.CallReference] {
    var answers: [Int: Entry.Attachment.CallReference] = [:]
    for stretch in lineage.stretches(positions) {
      let find = try db.prepare(sql)
      find.bind(EntryID.range(stretch.positions, of: stretch.piece.session))
      while try find.step() {
        let answer = find.entryID()
        // It may stand in a fork that the lineage does not show.
        guard answer.position < end, lineage.id(of: answer.position) == answer else { continue }
        let call = find.entryID()
        let ordinal = try find.int(in: .index)
        answers[answer.position] = .init(position: call.position, ordinal: ordinal)
      }
    }
    return answers
  }
}
