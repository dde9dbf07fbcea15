import KeepsakeSQLite

/// The statements over the tables of entries, of their keys and of their revisions.
struct EntryTable {
  let db: Connection
}

extension Tables {
  var entries: EntryTable { EntryTable(db: connection) }
}
