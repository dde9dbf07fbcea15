/// Work that is done while a statement is under way.
///
/// The work gets a function that waits for the rows, for a given time at most, and returns nil if they did not come or the statement
/// failed. It is called on the thread of the work, before the work ends.
typealias PostgresMeanwhile =
  (_ rows: @escaping @Sendable (Duration) -> [PostgresRow]?) -> Void
