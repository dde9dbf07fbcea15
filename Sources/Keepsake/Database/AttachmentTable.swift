import KeepsakeFiles
import KeepsakeSQLite

/// The statements over the table of attachments.
struct AttachmentTable {
  let db: Connection
}

extension Tables {
  var attachments: AttachmentTable { AttachmentTable(db: connection) }
}

extension AttachmentTable {
  /// Finds an attachment that a session recorded.
  func row(_ number: Int64, of session: Int64) throws -> AttachmentRow? {
    try AttachmentRow.all("number = ? AND session = ?", in: Tables(db)) {
      $0.bind(number)
      $0.bind(session)
    }.first
  }

  /// Finds the attachment that a change of a session recorded.
  func row(recordedBy change: Int, in session: Int64) throws -> AttachmentRow? {
    try AttachmentRow.all("recorded = ? AND session = ?", in: Tables(db)) {
      $0.bind(change)
      $0.bind(session)
    }.first
  }

  /// Lists the attachments that a run made, in the order of recording.
  func rows(madeBy invocation: Int64) throws -> [AttachmentRow] {
    try AttachmentRow.all("invocation = ? ORDER BY number", in: Tables(db)) {
      $0.bind(invocation)
    }
  }

  /// Lists the attachments that a call made, and that have no entry yet, in the order of recording.
  func rowsWithoutEntry(madeBy call: EntryID, ordinal: Int, of session: Int64) throws
    -> [AttachmentRow]
  {
    try AttachmentRow.all(
      "call_entry = ? AND call_ordinal = ? AND entry IS NULL AND session = ? ORDER BY number",
      in: Tables(db)
    ) {
      $0.bind(call)
      $0.bind(ordinal)
      $0.bind(session)
    }
  }

  /// Lists the attachments that wait for a call with an id, in the order of recording.
  func rowsWithoutCall(_ callID: String, of session: Int64) throws -> [AttachmentRow] {
    try AttachmentRow.all(
      "session = ? AND call_id = ? AND call_entry IS NULL ORDER BY number", in: Tables(db)
    ) {
      $0.bind(session)
      $0.bind(callID)
    }
  }

  /// The facts by which an attachment is compared with one that is appended again.
  struct Appended {
    let segment: Int?
    let artifact: SHA256Digest?
    let reference: String?
  }

  /// Lists the first attachments of an entry that were recorded after a change, in the order of recording.
  func appended(to entry: EntryID, after change: Int, atMost count: Int) throws -> [Appended] {
    let find = try db.prepare(
      """
      SELECT a.segment, f.digest, a.reference FROM attachment AS a
      LEFT JOIN artifact AS f ON f.number = a.artifact
      WHERE a.session = ? AND a.entry = ? AND a.recorded > ? AND a.direction <> ? ORDER BY a.number
      """)
    find.bind(entry.session)
    find.bind(entry)
    find.bind(change)
    find.bind(Entry.Attachment.Direction.content.code)
    var found: [Appended] = []
    while try found.count < count && find.step() {
      found.append(
        Appended(
          segment: find.optionalInt(0), artifact: find.digest(1), reference: find.optionalText(2)))
    }
    return found
  }

  /// Notes that an attachment was made from an artifact; returns false if the store does not hold that.
  func insertDerivation(of attachment: Int64, from artifact: SHA256Digest) throws -> Bool {
    guard let number = try ArtifactTable(db: db).number(of: artifact) else { return false }
    let insert = try db.prepare(
      "INSERT OR IGNORE INTO derivation (artifact, attachment) VALUES (?, ?)")
    insert.bind(number)
    insert.bind(attachment)
    try insert.run()
    return true
  }
}
