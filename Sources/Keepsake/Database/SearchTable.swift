import KeepsakeSQLite

/// The statements over the tables of the search index.
struct SearchTable {
  let db: Connection
}

extension Tables {
  var search: SearchTable { SearchTable(db: connection) }
}
