import KeepsakeFiles
import KeepsakeSQLite

extension SessionCheck {
  /// Checks that each invocation has its digest and leads to its call.
  mutating func checkInvocations(_ report: inout VerifyReport) throws {
    let row = try db.prepare(
      """
      SELECT number, recorded, id, turn, maker, name, implementation, version, model, parameters,
        arguments, started, ended, outcome, detail, output, call_id,
        call_entry & ?2, call_ordinal, basis, salt, call_entry, operation, change, digest
      FROM invocation WHERE session = ?1 ORDER BY number
      """)
    row.bind(number)
    row.bind(EntryID.maximumPosition)
    var last = 0
    while try row.step() {
      report.counts.invocations += 1
      highestTurn = max(highestTurn, row.int(3))
      let object = "invocation \(row.int64(0)) of \(name)"
      let digest = row.digest(24)
      note(
        .invocation, change: row.int(23), operation: row.int(22), position: row.int(1),
        digest: digest, of: object, &report)
      note(
        Recording(object: object, first: .invoke, change: row.int(23)), recorded: row.int(1),
        after: &last, &report)
      if row.int(22) == Chain.Operation.erase.rawValue { erased += 1 }
      if Self.digest(ofInvocation: row) != digest {
        report.damaged(object, "It was altered: it does not have the digest that was recorded.")
      }
      if let call = row.optionalEntryID(21),
        try !isOwn(call) || !hasCall(call, ordinal: row.optionalInt(18))
      {
        report.damaged(object, "The tool call that asked for it is not there.")
      }
    }
  }

  private static func digest(ofInvocation row: borrowing Statement) -> SHA256Digest {
    var canonical = Canonical("keepsake.invocation.1")
    canonical.add(integer: 1, of: row)
    canonical.add(blob: 2, of: row)
    canonical.add(integer: 3, of: row)
    canonical.add(integer: 4, of: row)
    for column in 5...10 { canonical.add(text: column, of: row) }
    for column in 11...13 { canonical.add(integer: column, of: row) }
    for column in 14...16 { canonical.add(text: column, of: row) }
    for column in 17...19 { canonical.add(integer: column, of: row) }
    canonical.add(blob: 20, of: row)
    return canonical.digest
  }
}
