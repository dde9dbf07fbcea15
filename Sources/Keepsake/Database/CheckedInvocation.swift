import KeepsakeFiles
import KeepsakeSQLite

/// The row of an invocation, as it stands in the database.
struct CheckedInvocation {
  let number: Int64
  let recorded: Int
  let turn: Int
  let call: EntryID?
  let callOrdinal: Int?
  let operation: Int
  let change: Int
  /// The digest that was recorded.
  let digest: SHA256Digest?
  /// The digest that the row has now.
  let presentDigest: SHA256Digest

  init(_ row: borrowing Statement) {
    number = row.int64(0)
    recorded = row.int(1)
    turn = row.int(3)
    call = row.optionalEntryID(21)
    callOrdinal = row.optionalInt(18)
    operation = row.int(22)
    change = row.int(23)
    digest = row.digest(24)
    presentDigest = Self.digest(of: row)
  }

  private static func digest(of row: borrowing Statement) -> SHA256Digest {
    var canonical = Canonical("keepsake.invocation.1")
    canonical.add(integer: 1, of: row)
    canonical.add(blob: 2, of: row)
    canonical.add(integer: 3, of: row)
    canonical.add(integer: 4, of: row)
    for column in 5...10 { canonical.add(text: column, of: row) }
    for column in 11...13 { canonical.add(integer: column, of: row) }
    for column in 14...16 { canonical.add(text: column, of: row) }
    for column in 17...19 { canonical.add(integer: column, of: row) }
    canonical.add(blob: 20, of: row)
    return canonical.digest
  }
}
