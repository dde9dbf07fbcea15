import KeepsakeSQLite

/// Adds columns as they stand in the database, byte for byte, because a typed value could hide an alteration.
extension Canonical {
  mutating func add(integer column: Int, of row: borrowing Statement) {
    add(row.optionalInt64(column))
  }

  mutating func add(text column: Int, of row: borrowing Statement) {
    if row.isNull(column) { add(Int64?.none) } else { add(text: row.bytes(column)) }
  }

  mutating func add(blob column: Int, of row: borrowing Statement) {
    add(bytes: row.optionalBytes(column))
  }
}
