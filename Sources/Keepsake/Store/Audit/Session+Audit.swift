import KeepsakeFiles

extension Session {
  /// Audits the session: everything that it made and was given, with the makers, and what is missing.
  ///
  /// Missing things are calls without an output, invocations that never ended, and invocations without a call. The entries that
  /// a fork shares are included. The cost is reading all attachments, calls and invocations of the session.
  /// - Returns: The report.
  /// - Throws: A ``KeepsakeError`` if the session can't be read.
  @concurrent
  public func audit() async throws -> Audit.SessionReport {
    try handle.read { db in
      let row = try SessionRow(self, in: db)
      let reader = AuditReader(handle, in: db)
      var attachments: [Audit.Occurrence] = []
      for piece in lineage.shared {
        attachments += try reader.occurrences(reader.attachments.rows(sharedIn: piece))
      }
      attachments += try reader.occurrences(reader.attachments.rows(recordedIn: number))
      let runs = try db.invocations.openRuns(in: number).map { $0.value(session: id) }
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
    try handle.read { db in try AuditReader(handle, in: db).prompt(of: turn, in: number) }
  }

  /// Returns the calls without an output; outputs in forks that this session does not show do not count.
  private func callsWithoutOutput(entries: Int, _ reader: AuditReader, in db: Tables) throws
    -> [Audit.Call]
  {
    var calls: [Audit.Call] = []
    for stretch in lineage.stretches(0..<entries) {
      let owner = stretch.piece.session
      let first = EntryID(session: owner, position: stretch.positions.lowerBound)
      let last = EntryID(session: owner, position: stretch.positions.upperBound - 1)
      var waiting: [(entry: EntryID, ordinal: Int)] = []
      var answered: (entry: EntryID, ordinal: Int)?
      try db.entries.forEachCall(in: first...last) { entry, ordinal, output in
        let call = (entry: entry, ordinal: ordinal)
        if let answered, answered == call { return }
        if let output, output.position < entries, lineage.id(of: output.position) == output {
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
