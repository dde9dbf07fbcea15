import KeepsakeFiles

extension SessionCheck {
  /// Checks each attachment: that it has its digest, leads to its entry, its call and its inputs, and has a label of its
  /// own.
  mutating func checkAttachments(_ report: inout VerifyReport) throws {
    var last = 0
    try db.checks.forEachAttachment(of: number) { row in
      report.counts.attachments += 1
      highestTurn = max(highestTurn, row.turn)
      bytes.addBytes(row.size)
      if row.direction != Entry.Attachment.Direction.content.code { listed += 1 }
      if row.state == Entry.Attachment.State.erased.code { erased += 1 }
      try check(attachment: row, after: &last, &report)
    }
    try checkLabels(&report)
  }

  private mutating func check(
    attachment row: CheckedAttachment, after last: inout Int, _ report: inout VerifyReport
  ) throws {
    let object = "attachment '\(row.label)' of \(name)"
    note(
      .attachment, change: row.change, operation: row.operation, position: row.recorded,
      digest: row.digest, of: object, &report)
    note(
      Recording(object: object, first: .attach, change: row.change), recorded: row.recorded,
      after: &last, &report)
    if row.presentDigest != row.digest {
      report.damaged(object, "It was altered: it does not have the digest that was recorded.")
    }
    if let entry = row.entry, !isOwn(entry) || entry.position >= stored.entries {
      report.damaged(object, "The entry that it hangs on is not one of its session's.")
    }
    if let call = row.call, try !isOwn(call) || !hasCall(call, ordinal: row.callOrdinal) {
      report.damaged(object, "The tool call that made it is not there.")
    }
    if let session = row.invocationSession, session != number {
      report.damaged(object, "The invocation that made it is another session's.")
    }
    try checkInputs(row, object, &report)
  }

  /// Checks the inputs that an attachment names against `derivation`, the index that an audit follows from an artifact to
  /// what was made from it.
  private func checkInputs(
    _ row: CheckedAttachment, _ object: String, _ report: inout VerifyReport
  ) throws {
    var said: Set<SHA256Digest> = []
    var isErased = false
    let indexed = try db.checks.indexedInputs(of: row.number)
    for case .artifact(let id) in Entry.Attachment.inputs(row.inputs) {
      // An erased input has no row in `artifact`. The attachment still names it, which is no damage.
      guard let created = try db.checks.created(id.digest) else { continue }
      // The bytes came again after the erasing, which took the input out of the index.
      if !indexed.contains(id.digest), created > row.created {
        isErased = true
      } else {
        said.insert(id.digest)
      }
    }
    if isErased {
      report.harmless(
        object, "It was made from bytes that were erased, and that somebody attached again later.",
        remedy:
          "Nothing is lost. An audit of these bytes does not tell that this was made from them.")
    }
    if said != indexed {
      report.derived(object, "The index of what it was made from says another thing than it does.")
    }
  }

  private func checkLabels(_ report: inout VerifyReport) throws {
    try db.checks.forEachRepeatedLabel(of: number) { label in
      report.damaged(name, "The label '\(label)' names more than one attachment.")
    }
    for piece in lineage.shared {
      try db.checks.forEachInheritedLabel(of: number, from: piece) { label in
        report.damaged(name, "The label '\(label)' names an attachment of what it shares, too.")
      }
    }
  }
}
