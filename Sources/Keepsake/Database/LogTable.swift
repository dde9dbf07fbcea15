import KeepsakeSQLite

/// The statements over the table of the log.
struct LogTable {
  let db: Connection
}

extension Tables {
  var log: LogTable { LogTable(db: connection) }
}
