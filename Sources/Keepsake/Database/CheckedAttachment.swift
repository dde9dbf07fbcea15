import KeepsakeFiles
import KeepsakeSQLite

/// The row of an attachment, as it stands in the database.
struct CheckedAttachment {
  let number: Int64
  let recorded: Int
  let turn: Int
  let created: Int64
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

  init(_ row: borrowing Statement) {
    number = row.int64(0)
    recorded = row.int(1)
    turn = row.int(7)
    created = row.int64(8)
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
