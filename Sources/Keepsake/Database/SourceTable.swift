import KeepsakeSQLite

/// The statements over the tables of sources, their pieces, and imports.
struct SourceTable {
  let db: Connection
}

extension Tables {
  var sources: SourceTable { SourceTable(db: connection) }
}
