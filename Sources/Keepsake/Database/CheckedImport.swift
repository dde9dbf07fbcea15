import KeepsakeFiles
import KeepsakeSQLite

/// The row of an import, as it stands in the database, with that of its file.
struct CheckedImport {
  let number: Int64
  let recorded: Int
  let operation: Int
  let change: Int
  /// The digest that was recorded.
  let digest: SHA256Digest?
  /// The digest that the row has now.
  let presentDigest: SHA256Digest

  init(_ row: borrowing Statement) {
    number = row.int64(0)
    recorded = row.int(1)
    operation = row.int(10)
    change = row.int(11)
    digest = row.digest(12)
    presentDigest = Self.digest(of: row)
  }

  private static func digest(of row: borrowing Statement) -> SHA256Digest {
    var canonical = Canonical("keepsake.import.1")
    canonical.add(integer: 1, of: row)
    canonical.add(text: 2, of: row)
    canonical.add(text: 3, of: row)
    canonical.add(integer: 4, of: row)
    canonical.add(blob: 5, of: row)
    for column in 6...8 { canonical.add(integer: column, of: row) }
    canonical.add(blob: 9, of: row)
    return canonical.digest
  }
}
