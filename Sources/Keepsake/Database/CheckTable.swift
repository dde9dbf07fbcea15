import KeepsakeSQLite

/// The statements over what verification reads.
struct CheckTable {
  let db: Connection
}

extension Tables {
  var checks: CheckTable { CheckTable(db: connection) }
}
