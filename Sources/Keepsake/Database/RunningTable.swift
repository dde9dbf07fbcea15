import KeepsakeSQLite

/// The statements over the marks of turns that are open and of runs that have not ended.
struct RunningTable {
  let db: Connection
}

extension Tables {
  var running: RunningTable { RunningTable(db: connection) }
}
