import KeepsakeFiles
import KeepsakeSQLite

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

  /// Finds the time at which an artifact was taken in; nil if it is not there.
  func created(_ artifact: SHA256Digest) throws -> Int64? {
    let find = try db.prepare("SELECT created FROM artifact WHERE digest = ?")
    find.bind(artifact)
    return try find.step() ? find.int64() : nil
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
