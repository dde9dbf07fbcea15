import KeepsakeSQLite

/// Columns as they stand in the database, byte for byte: what a value's type would hide must not be hidden here.
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
