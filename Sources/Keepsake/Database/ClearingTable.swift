import KeepsakeSQLite

/// The statements over the tables of what waits to be cleared.
struct ClearingTable {
  let db: Connection
}

extension Tables {
  var clearing: ClearingTable { ClearingTable(db: connection) }
}
