import KeepsakeSQLite

/// The statements over the table of attachments.
struct AttachmentTable {
  let db: Connection
}

extension Tables {
  var attachments: AttachmentTable { AttachmentTable(db: connection) }
}
