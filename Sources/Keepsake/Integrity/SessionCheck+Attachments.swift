import KeepsakeFiles
import KeepsakeSQLite

extension SessionCheck {
  /// Checks each attachment: that it has its digest, leads to its entry, its call and its inputs, and has a label of its
  /// own.
  mutating func checkAttachments(_ report: inout VerifyReport) throws {
    let row = try db.prepare(
      """
      SELECT a.number, a.recorded, a.entry & ?2, a.segment, a.pointer, a.range_start,
        a.range_end, a.turn, a.created, f.digest, a.state, a.direction, a.maker, a.basis, i.id, a.call_id,
        a.call_entry & ?2, a.call_ordinal, a.tool, a.label, a.declared_label, a.media_type,
        a.file_name, a.captions, a.reference, a.inputs, a.salt,
        a.entry, a.call_entry, a.operation, a.change, a.digest, f.size, i.session
      FROM attachment AS a LEFT JOIN artifact AS f ON f.number = a.artifact
      LEFT JOIN invocation AS i ON i.number = a.invocation
      WHERE a.session = ?1 ORDER BY a.number
      """)
    row.bind(number)
    row.bind(EntryID.maximumPosition)
    var last = 0
    while try row.step() {
      report.counts.attachments += 1
      highestTurn = max(highestTurn, row.int(7))
      bytes.addBytes(row.int64(32))
      if row.int(11) != Entry.Attachment.Direction.content.code { listed += 1 }
      if row.int(10) == Entry.Attachment.State.erased.code { erased += 1 }
      try check(attachment: row, after: &last, &report)
    }
    try checkLabels(&report)
  }

  private mutating func check(
    attachment row: borrowing Statement, after last: inout Int, _ report: inout VerifyReport
  ) throws {
    let object = "attachment '\(row.text(19))' of \(name)"
    let digest = row.digest(31)
    note(
      .attachment, change: row.int(30), operation: row.int(29), position: row.int(1),
      digest: digest, of: object, &report)
    note(
      Recording(object: object, first: .attach, change: row.int(30)), recorded: row.int(1),
      after: &last, &report)
    if Self.digest(ofAttachment: row) != digest {
      report.damaged(object, "It was altered: it does not have the digest that was recorded.")
    }
    if let entry = row.optionalEntryID(27),
      !isOwn(entry) || entry.position >= stored.entries
    {
      report.damaged(object, "The entry that it hangs on is not one of its session's.")
    }
    if let call = row.optionalEntryID(28),
      try !isOwn(call) || !hasCall(call, ordinal: row.optionalInt(17))
    {
      report.damaged(object, "The tool call that made it is not there.")
    }
    if !row.isNull(14), row.int64(33) != number {
      report.damaged(object, "The invocation that made it is another session's.")
    }
    try checkInputs(row, object, &report)
  }

  private static func digest(ofAttachment row: borrowing Statement) -> SHA256Digest {
    var canonical = Canonical("keepsake.attachment.1")
    for column in 1...3 { canonical.add(integer: column, of: row) }
    canonical.add(text: 4, of: row)
    for column in 5...8 { canonical.add(integer: column, of: row) }
    canonical.add(blob: 9, of: row)
    for column in 10...13 { canonical.add(integer: column, of: row) }
    canonical.add(blob: 14, of: row)
    canonical.add(text: 15, of: row)
    canonical.add(integer: 16, of: row)
    canonical.add(integer: 17, of: row)
    for column in 18...25 { canonical.add(text: column, of: row) }
    canonical.add(blob: 26, of: row)
    return canonical.digest
  }

  /// Checks the inputs that an attachment names against `derivation`, the index that an audit follows from an artifact to
  /// what was made from it.
  private func checkInputs(
    _ row: borrowing Statement, _ object: String, _ report: inout VerifyReport
  ) throws {
    var said: Set<SHA256Digest> = []
    for case .artifact(let id) in Entry.Attachment.inputs(row.optionalText(25)) {
      // An erased input has no row in `artifact`. The attachment still names it, which is no damage.
      let stored = try db.prepare("SELECT 1 FROM artifact WHERE digest = ?")
      stored.bind(id.digest)
      if try stored.step() { said.insert(id.digest) }
    }
    let find = try db.prepare(
      """
      SELECT f.digest FROM derivation AS d LEFT JOIN artifact AS f ON f.number = d.artifact
      WHERE d.attachment = ?
      """)
    find.bind(row.int64(0))
    var indexed: Set<SHA256Digest> = []
    while try find.step() { if let digest = find.digest() { indexed.insert(digest) } }
    if said != indexed {
      report.derived(object, "The index of what it was made from says another thing than it does.")
    }
  }

  private func checkLabels(_ report: inout VerifyReport) throws {
    let own = try db.prepare(
      """
      SELECT label FROM attachment WHERE session = ? AND label IS NOT NULL
      GROUP BY label HAVING count(*) > 1
      """)
    own.bind(number)
    while try own.step() {
      report.damaged(name, "The label '\(own.text())' names more than one attachment.")
    }
    let inherited = try db.prepare(
      """
      SELECT a.label FROM attachment AS a JOIN attachment AS p ON p.session = ?2 AND p.label = a.label
      WHERE a.session = ?1 AND p.recorded <= ?3 AND p.entry & ?5 < ?4
      """)
    for piece in lineage.shared {
      inherited.bind(number)
      inherited.bind(piece.session)
      inherited.bind(piece.changes)
      inherited.bind(piece.end)
      inherited.bind(EntryID.maximumPosition)
      while try inherited.step() {
        report.damaged(
          name, "The label '\(inherited.text())' names an attachment of what it shares, too.")
      }
      inherited.reset()
    }
  }
}
