import KeepsakeSQLite

/// A mark that differs after an attachment of a session was recorded, changed or removed.
struct AttachmentMark: Sendable, Equatable {
  let count: Int
  let newestChange: Int
}
