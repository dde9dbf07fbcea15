import KeepsakeFiles
import KeepsakeSQLite

extension Session {
  /// Audits the session: everything that it made and was given, with the makers, and what is missing.
  ///
  /// Missing things are calls without an output, invocations that never ended, and invocations without a call. The entries that
  /// a fork shares are included. The cost is reading all attachments, calls and invocations of the session.
  /// - Returns: The report.
  /// - Throws: A ``KeepsakeError`` if the session can't be read.
  @concurrent
  public func audit() async throws -> Audit.SessionReport {
    try core.read { db in
      let row = try SessionRow(self, in: db)
      let reader = AuditReader(core, in: db)
      var attachments: [Audit.Occurrence] = []
      for piece in lineage.shared {
        attachments += try reader.occurrences(
          where: AttachmentTable.shared + " ORDER BY a.number"
        ) { AttachmentTable.bind(piece, to: $0) }
      }
      attachments += try reader.occurrences(where: "a.session = ?1 ORDER BY a.number") {
        $0.bind(number)
      }
      let runs = try openRuns(in: db)
      return Audit.SessionReport(
        session: id, title: try SessionList.summary(of: number, in: db)?.title,
        head: row.chain.head.hex, changes: row.chain.count, attachments: attachments,
        callsWithoutOutput: try callsWithoutOutput(entries: row.entries, reader, in: db),
        unendedInvocations: runs.filter { $0.outcome == nil },
        unboundInvocations: runs.filter { $0.maker == .tool && $0.call == nil })
    }
  }

  /// Returns the first prompt of a turn; nil if there is none.
  @concurrent
  package func prompt(ofTurn turn: Int) async throws -> Audit.Occurrence.Prompt? {
    try core.read { db in try AuditReader(core, in: db).prompt(of: turn, in: number) }
  }

  private func openRuns(in db: Tables) throws -> [Invocation] {
    let find = try db.prepare(
      text: """
        SELECT \(InvocationRow.columns) FROM invocation
        WHERE session = ? AND (outcome IS NULL OR (maker = 0 AND call_entry IS NULL)) ORDER BY number
        """)
    find.bind(number)
    var runs: [Invocation] = []
    while try find.step() { runs.append(try InvocationRow(find).value(session: id)) }
    return runs
  }

  static let callsAndOutputs = """
    SELECT t.entry, t.ordinal, e.id FROM tool_call AS t
      LEFT JOIN entry AS e ON e.call_entry = t.entry AND e.call_ordinal = t.ordinal
    WHERE t.entry BETWEEN ?1 AND ?2 ORDER BY t.entry, t.ordinal
    """

  /// Returns the calls without an output; outputs in forks that this session does not show do not count.
  private func callsWithoutOutput(entries: Int, _ reader: AuditReader, in db: Tables) throws
    -> [Audit.Call]
  {
    var calls: [Audit.Call] = []
    for stretch in lineage.stretches(0..<entries) {
      let find = try db.prepare(text: Self.callsAndOutputs)
      let owner = stretch.piece.session
      find.bind(EntryID(session: owner, position: stretch.positions.lowerBound))
      find.bind(EntryID(session: owner, position: stretch.positions.upperBound - 1))
      var waiting: [(entry: EntryID, ordinal: Int)] = []
      var answered: (entry: EntryID, ordinal: Int)?
      while try find.step() {
        let call = (entry: find.entryID(0), ordinal: try find.int(1, in: .index))
        if let answered, answered == call { continue }
        if let output = find.optionalEntryID(2),
          output.position < entries, lineage.id(of: output.position) == output
        {
          if let last = waiting.last, last == call { waiting.removeLast() }
          answered = call
        } else if waiting.last.map({ $0 != call }) ?? true {
          waiting.append(call)
        }
      }
      calls += try waiting.compactMap { try reader.call($0.entry, ordinal: $0.ordinal) }
    }
    return calls
  }
}
