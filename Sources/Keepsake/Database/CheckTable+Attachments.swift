import KeepsakeFiles
import KeepsakeSQLite

/// The row of an attachment, as it stands in the database.
struct CheckedAttachment {
  let number: Int64
  let recorded: Int
  let turn: Int
  /// The size of the artifact; 0 without one.
  let size: Int64
  let direction: Int
  let state: Int
  let label: String
  let entry: EntryID?
  let call: EntryID?
  let callOrdinal: Int?
  /// The session of the invocation that made it; nil without one.
  let invocationSession: Int64?
  let inputs: String?
  let operation: Int
  let change: Int
  /// The digest that was recorded.
  let digest: SHA256Digest?
  /// The digest that the row has now.
  let presentDigest: SHA256Digest

  fileprivate init(_ row: borrowing Statement) {
    number = row.int64(0)
    recorded = row.int(1)
    turn = row.int(7)
    size = row.int64(32)
    direction = row.int(11)
    state = row.int(10)
    label = row.text(19)
    entry = row.optionalEntryID(27)
    call = row.optionalEntryID(28)
    callOrdinal = row.optionalInt(17)
    invocationSession = row.isNull(14) ? nil : row.int64(33)
    inputs = row.optionalText(25)
    operation = row.int(29)
    change = row.int(30)
    digest = row.digest(31)
    presentDigest = Self.digest(of: row)
  }

  private static func digest(of row: borrowing Statement) -> SHA256Digest {
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
}

extension CheckTable {
  /// Passes the attachments that a session recorded to a closure, in the order of their numbers.
  func forEachAttachment(of session: Int64, _ body: (CheckedAttachment) throws -> Void) throws {
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
    row.bind(session)
    row.bind(EntryID.maximumPosition)
    while try row.step() { try body(CheckedAttachment(row)) }
  }

  /// Tells whether an attachment has a row.
  func hasAttachment(_ number: Int64) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM attachment WHERE number = ?")
    find.bind(number)
    return try find.step()
  }

  /// Finds the digests of the artifacts that an attachment was made from, as the index of these says.
  func indexedInputs(of attachment: Int64) throws -> Set<SHA256Digest> {
    let find = try db.prepare(
      """
      SELECT f.digest FROM derivation AS d LEFT JOIN artifact AS f ON f.number = d.artifact
      WHERE d.attachment = ?
      """)
    find.bind(attachment)
    var indexed: Set<SHA256Digest> = []
    while try find.step() { if let digest = find.digest() { indexed.insert(digest) } }
    return indexed
  }

  /// Passes the labels that name more than one attachment of a session to a closure.
  func forEachRepeatedLabel(of session: Int64, _ body: (String) -> Void) throws {
    let own = try db.prepare(
      """
      SELECT label FROM attachment WHERE session = ? AND label IS NOT NULL
      GROUP BY label HAVING count(*) > 1
      """)
    own.bind(session)
    while try own.step() { body(own.text()) }
  }

  /// Passes the labels that a session gave, although an attachment that it shares with another session has them, to a
  /// closure.
  func forEachInheritedLabel(
    of session: Int64, from piece: Lineage.Piece, _ body: (String) -> Void
  ) throws {
    let inherited = try db.prepare(
      """
      SELECT a.label FROM attachment AS a JOIN attachment AS p ON p.session = ?2 AND p.label = a.label
      WHERE a.session = ?1 AND p.recorded <= ?3 AND p.entry & ?5 < ?4
      """)
    inherited.bind(session)
    inherited.bind(piece.session)
    inherited.bind(piece.changes)
    inherited.bind(piece.end)
    inherited.bind(EntryID.maximumPosition)
    while try inherited.step() { body(inherited.text()) }
  }
}
