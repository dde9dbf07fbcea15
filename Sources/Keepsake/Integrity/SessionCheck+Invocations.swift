import Files
import SQLite

extension SessionCheck {
  /// Checks each run's digest, and that it leads to its call.
  mutating func checkInvocations(_ report: inout VerifyReport) throws {
    let row = try db.prepare(
      """
      SELECT number, id, turn, maker, name, implementation, version, model, parameters, arguments, started,
        ended, outcome, detail, output, call_id, call_entry & 16777215, call_ordinal, basis, salt,
        call_entry, operation, change, digest
      FROM invocation WHERE session = ? ORDER BY number
      """)
    row.bind(number, at: 1)
    while try row.step() {
      report.counts.invocations += 1
      highestTurn = max(highestTurn, row.int(2))
      invocations.append((row.int(22), row.int(21)))
      let object = "invocation \(row.int64(0)) of \(name)"
      let digest = row.digest(23)
      note(
        .invocation, change: row.int(22), operation: row.int(21), position: -1, digest: digest,
        of: object, &report)
      if row.int(21) == Chain.Operation.erase.rawValue { erased += 1 }
      if Self.digest(ofInvocation: row) != digest {
        report.damaged(object, "It was altered: it does not have the digest that was recorded.")
      }
      if let call = row.optionalInt64(20).map(EntryID.init(rawValue:)),
        try !isOwn(call) || !hasCall(call, ordinal: row.optionalInt(17))
      {
        report.damaged(object, "The tool call that asked for it is not there.")
      }
    }
  }

  private static func digest(ofInvocation row: borrowing Statement) -> SHA256Digest {
    var canonical = Canonical("keepsake.invocation.1")
    canonical.add(blob: 1, of: row)
    canonical.add(integer: 2, of: row)
    canonical.add(integer: 3, of: row)
    for column in 4...9 { canonical.add(text: column, of: row) }
    for column in 10...12 { canonical.add(integer: column, of: row) }
    for column in 13...15 { canonical.add(text: column, of: row) }
    for column in 16...18 { canonical.add(integer: column, of: row) }
    canonical.add(blob: 19, of: row)
    return canonical.digest
  }
}
