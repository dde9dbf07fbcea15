import KeepsakeSQLite

/// The statements over the tables of artifacts, their bytes, and artifacts that are taken in.
struct ArtifactTable {
  let db: Connection
}

extension Tables {
  var artifacts: ArtifactTable { ArtifactTable(db: connection) }
}
