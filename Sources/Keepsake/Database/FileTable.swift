import KeepsakeSQLite

/// The statements over the database as a file: its sizes, counts and versions.
struct FileTable {
  let db: Connection
}

extension Tables {
  var files: FileTable { FileTable(db: connection) }
}
