import KeepsakeFiles

extension SessionCheck {
  /// Checks each entry with its revisions and calls, in one pass over each of the three tables.
  mutating func checkEntries(_ report: inout VerifyReport) throws {
    let entry = try db.checks.entries(of: number)
    let revision = try db.checks.revisions(of: number)
    let call = try db.checks.calls(of: number)
    var hasRevision = try revision.next()
    var hasCall = try call.next()
    var expected = forkPosition
    while try entry.next() {
      let position = entry.position
      let id = entry.id
      if position != expected { reportGap(before: position, from: expected, &report) }
      expected = position + 1
      entries += 1
      report.counts.entries += 1
      highestTurn = max(highestTurn, entry.turn)

      let replaced = try checkRevisions(of: entry, in: revision, &hasRevision, &report)
      let body = check(entry, revised: replaced, &report)
      try checkKey(of: entry, &report)

      while hasCall, call.entry < id {
        report.damaged(name, "A tool call is of an entry that is not there.")
        hasCall = try call.next()
      }
      var calls: [(ordinal: Int, id: String?, tool: String)] = []
      while hasCall, call.entry == id {
        calls.append((call.ordinal, call.callID, call.tool))
        hasCall = try call.next()
      }
      report.counts.toolCalls += calls.count
      if let body {
        compare(calls, with: body, at: position, &report)
        try checkCall(of: entry, named: body.callID, &report)
      }
    }
    if hasRevision || hasCall {
      report.damaged(name, "A revision or a tool call is of an entry that is not there.")
    }
  }

  /// Reports positions that are missing, or that the session does not own.
  private func reportGap(
    before position: Int, from expected: Int, _ report: inout VerifyReport
  ) {
    report.damaged(
      name,
      position < expected
        ? "It has an entry at position \(position), which it shares with its parent."
        : "It has no entries at the positions \(expected) to \(position - 1).")
  }

  /// Checks the revisions of an entry, which stand next in the rows of all revisions.
  /// - Returns: The time at which the entry was revised last; nil if it never was.
  private mutating func checkRevisions(
    of entry: borrowing CheckedEntries, in revision: borrowing CheckedRevisions,
    _ hasRevision: inout Bool, _ report: inout VerifyReport
  ) throws -> Int64? {
    let id = entry.id
    while hasRevision, revision.entry < id {
      report.damaged(name, "A revision is of an entry that is not there.")
      hasRevision = try revision.next()
    }
    var replaced: Int64?
    var count = 0
    while hasRevision, revision.entry == id {
      count += 1
      check(revision, number: count, of: entry, revised: replaced, &report)
      replaced = revision.replaced
      hasRevision = try revision.next()
    }
    return replaced
  }

  /// Reports entries that share one id, as earlier builds could store them: a reference by id may mean any of them.
  func checkIDs(_ report: inout VerifyReport) throws {
    try db.checks.forEachRepeatedID(of: number) { first, last, count in
      report.harmless(
        name(first),
        "\(count) entries have its id, the last of them at position \(last).",
        remedy: "Nothing is lost. Tell them apart by their positions.")
    }
  }

  /// Checks the content of an entry.
  /// - Returns: The entry as its body tells it; nil where there is no body, or none that can be read.
  private mutating func check(
    _ row: borrowing CheckedEntries, revised: Int64?, _ report: inout VerifyReport
  ) -> Entry? {
    let position = row.position
    let object = name(position)
    let operation = row.operation
    let digest = row.digest
    note(
      .entry, change: row.change, operation: operation, position: position, digest: digest,
      of: object, &report)
    let columns = row.columns
    let isErased =
      !row.hasBody && !row.hasSalt && operation == Chain.Operation.eraseEntry.rawValue
    if operation != Chain.Operation.append.rawValue {
      histories[position, default: EntryHistory()].newest = (row.change, operation)
      histories[position]?.erased = isErased ? (columns, revised) : nil
    }
    if isErased {
      erased += 1
      return nil
    }
    guard row.hasBody else {
      report.damaged(object, "Its content is gone, and no change says that it was erased.")
      return nil
    }
    bytes += Int64(row.bodySize)
    if !row.hasWholeSalt || Self.digest(columns, row.bodyDigest, revised: revised) != digest {
      report.damaged(object, "It was altered: it does not have the digest that was recorded.")
    }
    do { return try row.decodedBody() } catch {
      report.damaged(object, "Its body can't be read: \(error)")
      return nil
    }
  }

  private mutating func check(
    _ row: borrowing CheckedRevisions, number: Int, of entry: borrowing CheckedEntries,
    revised: Int64?, _ report: inout VerifyReport
  ) {
    report.counts.revisions += 1
    let position = entry.position
    let object = "revision \(row.number) of \(name(position))"
    if row.number != number { report.damaged(object, "The one before it is missing.") }
    guard let digest = row.digest else {
      return report.damaged(object, "Its digest is damaged.")
    }
    histories[position, default: EntryHistory()].revisions.append(
      .init(
        number: row.number, until: row.until,
        link: .init(
          number: row.change, operation: row.operation, position: position, digest: digest,
          origin: .archive)))
    if !row.hasBody {
      if row.hasSalt || entry.operation != Chain.Operation.eraseEntry.rawValue {
        report.damaged(object, "Its content is gone, and its entry was not erased.")
      }
      erased += 1
      return
    }
    bytes += Int64(row.bodySize)
    let body = row.bodyDigest
    // The entry may have had no key yet when it had this content.
    let isWhole =
      Self.digest(entry.columns(of: row, hasKey: true), body, revised: revised) == digest
      || Self.digest(entry.columns(of: row, hasKey: false), body, revised: revised) == digest
    if !row.hasWholeSalt || !isWhole {
      report.damaged(object, "It was altered: it does not have the digest that was recorded.")
    }
  }

  /// Checks that the rows of `tool_call` say of an entry what its body says.
  private func compare(
    _ calls: [(ordinal: Int, id: String?, tool: String)], with body: Entry, at position: Int,
    _ report: inout VerifyReport
  ) {
    let agree =
      calls.count == body.toolCalls.count
      && zip(calls.indices, calls).allSatisfy { index, call in
        call.ordinal == index && call.id?.isSameText(as: body.toolCalls[index].id) == true
          && call.tool.isSameText(as: body.toolCalls[index].tool)
      }
    if !agree {
      report.damaged(
        name(position), "The index of tool calls says another thing of it than its body.")
    }
  }

  /// Checks that the call that an output answers has the id that the output's body names.
  private func checkCall(
    of row: borrowing CheckedEntries, named id: String?, _ report: inout VerifyReport
  ) throws {
    guard let call = row.call else { return }
    let found = try db.checks.callID(of: call, ordinal: row.callOrdinal)
    guard isOwn(call), call.position < row.position, let found, let id, found.isSameText(as: id)
    else {
      return report.damaged(
        name(row.position), "The call that it answers is not the one that its body names.")
    }
  }
}

// MARK: - Digests

extension SessionCheck {
  /// Computes the digest of a content from the columns before the body, the digest of the body, and the time of the
  /// revision before.
  static func digest(_ columns: Canonical, _ body: SHA256Digest, revised: Int64?) -> SHA256Digest {
    var canonical = columns
    canonical.add(body)
    canonical.add(revised)
    return canonical.digest
  }
}
