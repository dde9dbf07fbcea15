import KeepsakeSQLite

/// The statements over the table of sessions and their tags.
struct SessionTable {
  let db: Connection
}

extension Tables {
  var sessions: SessionTable { SessionTable(db: connection) }
}
