import KeepsakeSQLite

/// The statements over the links of the chains.
struct ChangeTable {
  let db: Connection
}

extension Tables {
  var changes: ChangeTable { ChangeTable(db: connection) }
}
