extension SessionCheck {
  /// Checks that each invocation has its digest and leads to its call.
  mutating func checkInvocations(_ report: inout VerifyReport) throws {
    var last = 0
    try db.checks.forEachInvocation(of: number) { row in
      report.counts.invocations += 1
      highestTurn = max(highestTurn, row.turn)
      let object = "invocation \(row.number) of \(name)"
      note(
        .invocation, change: row.change, operation: row.operation, position: row.recorded,
        digest: row.digest, of: object, &report)
      note(
        Recording(object: object, first: .invoke, change: row.change), recorded: row.recorded,
        after: &last, &report)
      if row.operation == Chain.Operation.erase.rawValue { erased += 1 }
      if row.presentDigest != row.digest {
        report.damaged(object, "It was altered: it does not have the digest that was recorded.")
      }
      if let call = row.call, try !isOwn(call) || !hasCall(call, ordinal: row.callOrdinal) {
        report.damaged(object, "The tool call that asked for it is not there.")
      }
    }
  }
}
