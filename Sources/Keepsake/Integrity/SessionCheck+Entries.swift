import KeepsakeFiles
import KeepsakeSQLite

extension SessionCheck {
  /// Checks each entry with its revisions and calls, in one pass over each of the three tables.
  mutating func checkEntries(_ report: inout VerifyReport) throws {
    let entry = try ownRows(
      """
      SELECT id & ?3, id, uuid, kind, created, status, visibility, turn, key, lane, author, model,
        call_entry & ?3, call_ordinal, call_entry, operation, change, digest, salt, body
      FROM entry WHERE id BETWEEN ?1 AND ?2 ORDER BY id
      """)
    entry.bind(EntryID.maximumPosition)
    let revision = try ownRows(
      """
      SELECT entry, number, replaced, status, operation, change, until, digest, salt, body,
        lane, author, model
      FROM revision WHERE entry BETWEEN ? AND ? ORDER BY entry, number
      """)
    let call = try ownRows(
      """
      SELECT entry, ordinal, call_id, tool FROM tool_call
      WHERE entry BETWEEN ? AND ? ORDER BY entry, ordinal
      """)
    var hasRevision = try revision.step()
    var hasCall = try call.step()
    var expected = forkPosition
    while try entry.step() {
      let position = entry.int(0)
      let id = entry.int64(1)
      if position != expected { reportGap(before: position, from: expected, &report) }
      expected = position + 1
      entries += 1
      report.counts.entries += 1
      highestTurn = max(highestTurn, entry.int(7))

      let replaced = try checkRevisions(of: entry, in: revision, &hasRevision, &report)
      let body = check(entry, revised: replaced, &report)
      try checkKey(of: entry, &report)

      while hasCall, call.int64(0) < id {
        report.damaged(name, "A tool call is of an entry that is not there.")
        hasCall = try call.step()
      }
      var calls: [(ordinal: Int, id: String?, tool: String)] = []
      while hasCall, call.int64(0) == id {
        calls.append((call.int(1), call.optionalText(2), call.text(3)))
        hasCall = try call.step()
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

  /// Prepares a statement, and binds the first and the last id that an entry of the session can have.
  private func ownRows(_ sql: StaticString) throws -> Statement {
    let rows = try db.prepare(sql)
    rows.bind(EntryID.all(of: number))
    return rows
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
    of entry: borrowing Statement, in revision: borrowing Statement, _ hasRevision: inout Bool,
    _ report: inout VerifyReport
  ) throws -> Int64? {
    let id = entry.int64(1)
    while hasRevision, revision.int64(0) < id {
      report.damaged(name, "A revision is of an entry that is not there.")
      hasRevision = try revision.step()
    }
    var replaced: Int64?
    var count = 0
    while hasRevision, revision.int64(0) == id {
      count += 1
      check(revision, number: count, of: entry, revised: replaced, &report)
      replaced = revision.int64(2)
      hasRevision = try revision.step()
    }
    return replaced
  }

  /// Reports entries that share one id, as earlier builds could store them: a reference by id may mean any of them.
  func checkIDs(_ report: inout VerifyReport) throws {
    let find = try db.prepare(
      """
      SELECT min(id) & ?3, max(id) & ?3, count(*) FROM entry WHERE id BETWEEN ?1 AND ?2
      GROUP BY uuid HAVING count(*) > 1 ORDER BY min(id)
      """)
    find.bind(EntryID.all(of: number))
    find.bind(EntryID.maximumPosition)
    while try find.step() {
      let first = find.int()
      let last = find.int()
      report.harmless(
        name(first),
        "\(find.int()) entries have its id, the last of them at position \(last).",
        remedy: "Nothing is lost. Tell them apart by their positions.")
    }
  }

  /// Checks the content of an entry.
  /// - Returns: The entry as its body tells it; nil where there is no body, or none that can be read.
  private mutating func check(
    _ row: borrowing Statement, revised: Int64?, _ report: inout VerifyReport
  ) -> Entry? {
    let position = row.int(0)
    let object = name(position)
    let operation = row.int(15)
    let digest = row.digest(17)
    note(
      .entry, change: row.int(16), operation: operation, position: position, digest: digest,
      of: object, &report)
    let columns = Self.columns(of: row, hasKey: true, in: row, status: 5, lane: 9)
    let isErased =
      row.isNull(19) && row.isNull(18) && operation == Chain.Operation.eraseEntry.rawValue
    if operation != Chain.Operation.append.rawValue {
      histories[position, default: EntryHistory()].newest = (row.int(16), operation)
      histories[position]?.erased = isErased ? (columns, revised) : nil
    }
    if isErased {
      erased += 1
      return nil
    }
    if row.isNull(19) {
      report.damaged(object, "Its content is gone, and no change says that it was erased.")
      return nil
    }
    bytes += Int64(row.count(19))
    if row.count(18) != Salt.size
      || Self.digest(columns, Self.bodyDigest(row, from: 18), revised: revised) != digest
    {
      report.damaged(object, "It was altered: it does not have the digest that was recorded.")
    }
    var decoded = Entry(.unknown)
    do { _ = try EntryBody.decode(row.span(19), into: &decoded) } catch {
      report.damaged(object, "Its body can't be read: \(error)")
      return nil
    }
    return decoded
  }

  private mutating func check(
    _ row: borrowing Statement, number: Int, of entry: borrowing Statement, revised: Int64?,
    _ report: inout VerifyReport
  ) {
    report.counts.revisions += 1
    let position = entry.int(0)
    let object = "revision \(row.int(1)) of \(name(position))"
    if row.int(1) != number { report.damaged(object, "The one before it is missing.") }
    guard let digest = row.digest(7) else {
      return report.damaged(object, "Its digest is damaged.")
    }
    histories[position, default: EntryHistory()].revisions.append(
      .init(
        number: row.int(1), until: row.int(6),
        link: .init(
          number: row.int(5), operation: row.int(4), position: position, digest: digest,
          origin: .archive)))
    if row.isNull(9) {
      if !row.isNull(8) || entry.int(15) != Chain.Operation.eraseEntry.rawValue {
        report.damaged(object, "Its content is gone, and its entry was not erased.")
      }
      erased += 1
      return
    }
    bytes += Int64(row.count(9))
    let body = Self.bodyDigest(row, from: 8)
    // The entry may have had no key yet when it had this content.
    let isWhole = [true, false].contains { hasKey in
      let columns = Self.columns(of: entry, hasKey: hasKey, in: row, status: 3, lane: 10)
      return Self.digest(columns, body, revised: revised) == digest
    }
    if row.count(8) != Salt.size || !isWhole {
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
    of row: borrowing Statement, named id: String?, _ report: inout VerifyReport
  ) throws {
    guard let call = row.optionalEntryID(14) else { return }
    let find = try db.prepare("SELECT call_id FROM tool_call WHERE entry = ? AND ordinal = ?")
    find.bind(call)
    find.bind(row.optionalInt(13))
    let found = try find.step() ? find.optionalText() : nil
    guard isOwn(call), call.position < row.int(0), let found, let id, found.isSameText(as: id)
    else {
      return report.damaged(
        name(row.int(0)), "The call that it answers is not the one that its body names.")
    }
  }
}

// MARK: - Digests

extension SessionCheck {
  /// Computes the digest of a body from two columns that stand side by side, the salt and the body.
  private static func bodyDigest(_ row: borrowing Statement, from salt: Int) -> SHA256Digest {
    var hash = SHA256()
    hash.update(row.span(salt))
    hash.update(row.span(salt + 1))
    return hash.finalize()
  }

  /// Gives the columns that come before the body in the digest of an entry or of a revision.
  /// - Parameters:
  ///   - row: The entry's row.
  ///   - hasKey: Whether the entry had its key by then.
  ///   - own: The row of the content: the entry's, or the revision's.
  ///   - status: The column of `own` that has the status.
  ///   - lane: The column of `own` that has the lane; the author and the model stand in the two behind it.
  private static func columns(
    of row: borrowing Statement, hasKey: Bool, in own: borrowing Statement, status: Int, lane: Int
  ) -> Canonical {
    var canonical = Canonical("keepsake.entry.1")
    canonical.add(blob: 2, of: row)
    canonical.add(integer: 3, of: row)
    canonical.add(integer: 4, of: row)
    canonical.add(integer: status, of: own)
    canonical.add(integer: 6, of: row)
    canonical.add(integer: 7, of: row)
    if hasKey { canonical.add(text: 8, of: row) } else { canonical.add(Int64?.none) }
    for column in lane...(lane + 2) { canonical.add(text: column, of: own) }
    canonical.add(integer: 12, of: row)
    canonical.add(integer: 13, of: row)
    return canonical
  }

  static func digest(_ columns: Canonical, _ body: SHA256Digest, revised: Int64?) -> SHA256Digest {
    var canonical = columns
    canonical.add(body)
    canonical.add(revised)
    return canonical.digest
  }
}
