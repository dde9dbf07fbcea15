import Files
import SQLite

extension SessionCheck {
  /// Checks each entry with its revisions and calls, in one pass over each of the three tables.
  mutating func checkEntries(_ report: inout VerifyReport) throws {
    let low = EntryID(session: number, position: 0).rawValue
    let high = EntryID(session: number, position: EntryID.maximumPosition).rawValue
    let entry = try db.prepare(
      """
      SELECT id & 16777215, id, uuid, kind, created, status, visibility, turn, key, lane, author, model,
        call_entry & 16777215, call_ordinal, call_entry, operation, change, salt, digest, body
      FROM entry WHERE id BETWEEN ? AND ? ORDER BY id
      """)
    let revision = try db.prepare(
      """
      SELECT entry, number, replaced, status, operation, change, salt, digest, body
      FROM revision WHERE entry BETWEEN ? AND ? ORDER BY entry, number
      """)
    let call = try db.prepare(
      """
      SELECT entry, ordinal, call_id, tool FROM tool_call
      WHERE entry BETWEEN ? AND ? ORDER BY entry, ordinal
      """)
    entry.bind(low, at: 1)
    entry.bind(high, at: 2)
    revision.bind(low, at: 1)
    revision.bind(high, at: 2)
    call.bind(low, at: 1)
    call.bind(high, at: 2)
    var hasRevision = try revision.step()
    var hasCall = try call.step()
    var expected = forkPosition
    while try entry.step() {
      let position = entry.int(0)
      let id = entry.int64(1)
      if position != expected {
        report.damaged(
          name,
          position < expected
            ? "It has an entry at position \(position), which it shares with its parent."
            : "It has no entries at the positions \(expected) to \(position - 1).")
      }
      expected = position + 1
      entries += 1
      report.counts.entries += 1
      highestTurn = max(highestTurn, entry.int(7))

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
      let body = check(entry, revised: replaced, &report)

      while hasCall, call.int64(0) < id {
        report.damaged(name, "A tool call is of an entry that is not there.")
        hasCall = try call.step()
      }
      var calls: [(ordinal: Int, id: String?, tool: String)] = []
      while hasCall, call.int64(0) == id {
        calls.append((call.int(1), call.optionalText(2), call.text(3)))
        hasCall = try call.step()
      }
      if let body { try compare(calls, with: body, of: entry, &report) }
    }
    if hasRevision || hasCall {
      report.damaged(name, "A revision or a tool call is of an entry that is not there.")
    }
  }

  /// Checks an entry's content; gives what its body says, if it has one that can be read.
  private mutating func check(
    _ row: borrowing Statement, revised: Int64?, _ report: inout VerifyReport
  ) -> Entry? {
    let position = row.int(0)
    let object = name(position)
    let digest = row.digest(18)
    note(
      .entry, change: row.int(16), operation: row.int(15), position: position, digest: digest,
      of: object, &report)
    if row.isNull(19) {
      if row.isNull(17), row.int(15) == Chain.Operation.erase.rawValue {
        erased += 1
      } else {
        report.damaged(object, "Its content is gone, and no change says that it was erased.")
      }
      return nil
    }
    bytes += Int64(row.count(19))
    if row.count(17) != Salts.size
      || Self.digest(of: row, status: row.int64(5), revised: revised, content: row, from: 17)
        != digest
    {
      report.damaged(object, "It was altered: it does not have the digest that was recorded.")
    }
    var decoded = Entry(.unknown)
    do { try EntryBody.decode(row.span(19), into: &decoded) } catch {
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
    if row.int64(5) >= entry.int64(16) {
      report.damaged(object, "It is not older than what the entry holds.")
    }
    guard let digest = row.digest(7) else {
      return report.damaged(object, "Its digest is damaged.")
    }
    named.append(
      (
        object,
        .init(
          number: row.int(5), operation: row.int(4), position: position, digest: digest,
          origin: .archive)
      ))
    if row.isNull(8) {
      if row.isNull(6) {
        erased += 1
      } else {
        report.damaged(object, "Its content is gone, and its salt is not: it was not erased.")
      }
      return
    }
    bytes += Int64(row.count(8))
    if row.count(6) != Salts.size
      || Self.digest(of: entry, status: row.int64(3), revised: revised, content: row, from: 6)
        != digest
    {
      report.damaged(object, "It was altered: it does not have the digest that was recorded.")
    }
  }

  /// The digest of an entry with a content, of now or of a revision, whose salt and body stand in two columns.
  private static func digest(
    of row: borrowing Statement, status: Int64, revised: Int64?, content: borrowing Statement,
    from salt: Int
  ) -> SHA256Digest {
    var hash = SHA256()
    hash.update(content.span(salt))
    hash.update(content.span(content.columnCount - 1))
    var canonical = Canonical("keepsake.entry.1")
    canonical.add(blob: 2, of: row)
    canonical.add(integer: 3, of: row)
    canonical.add(integer: 4, of: row)
    canonical.add(status)
    canonical.add(integer: 6, of: row)
    canonical.add(integer: 7, of: row)
    for column in 8...11 { canonical.add(text: column, of: row) }
    canonical.add(integer: 12, of: row)
    canonical.add(integer: 13, of: row)
    canonical.add(hash.finalize())
    canonical.add(revised)
    return canonical.digest
  }

  private func compare(
    _ calls: [(ordinal: Int, id: String?, tool: String)], with body: Entry,
    of row: borrowing Statement, _ report: inout VerifyReport
  ) throws {
    let object = name(row.int(0))
    report.counts.toolCalls += calls.count
    let agree =
      calls.count == body.toolCalls.count
      && zip(calls.indices, calls).allSatisfy { index, call in
        call.ordinal == index && call.id?.isSameText(as: body.toolCalls[index].id) == true
          && call.tool.isSameText(as: body.toolCalls[index].tool)
      }
    if !agree {
      report.damaged(object, "The index of tool calls says another thing of it than its body.")
    }
    guard let call = row.optionalInt64(14).map(EntryID.init(rawValue:)) else { return }
    let find = try db.prepare(
      """
      SELECT call_id FROM tool_call WHERE entry = ? AND ordinal = ?
      """)
    find.bind(call.rawValue, at: 1)
    find.bind(row.optionalInt(13), at: 2)
    let isThere = try find.step()
    let isSame =
      isThere
      && find.optionalText(0).flatMap { id in
        body.callID.map { $0.isSameText(as: id) }
      } == true
    guard isOwn(call), call.position < row.int(0),
      try isSame || (!isThere && hasCall(call, ordinal: row.optionalInt(13)))
    else {
      report.damaged(object, "The call that it answers is not the one that its body names.")
      return
    }
  }
}
