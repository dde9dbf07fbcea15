import KeepsakeSQLite

/// The statements over the table of drafts.
struct DraftTable {
  let db: Connection
}

extension Tables {
  var drafts: DraftTable { DraftTable(db: connection) }
}
