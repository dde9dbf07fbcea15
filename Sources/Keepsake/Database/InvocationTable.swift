import KeepsakeSQLite

/// The statements over the table of invocations.
struct InvocationTable {
  let db: Connection
}

extension Tables {
  var invocations: InvocationTable { InvocationTable(db: connection) }
}
