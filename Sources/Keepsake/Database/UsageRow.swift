import KeepsakeSQLite

/// An answer that reports its usage.
struct UsageRow {
  let id: EntryID
  let created: Int64
  let model: String?
  /// The origin of the session.
  let origin: String?
  /// Tells whether the session is shown, and not kept only for its forks.
  let isListed: Bool
}
