import KeepsakeFiles

/// How far a database is that is written anew: what is in use goes to a temporary file, from there to the log, and from
/// the log into the database.
final class CompactProgress: Sendable {
  /// How many bytes are in use.
  private let bytes: Int64
  private let told: @Sendable (Double) -> Void
  private let furthest = Locked(0.0)

  /// Of all the time what the first two parts take, as was measured.
  private static let aside = 0.4
  private static let logged = 0.4
  /// How often the log is looked at.
  private static let interval: Duration = .milliseconds(100)

  init(bytes: Int64, _ told: @escaping @Sendable (Double) -> Void) {
    self.bytes = max(1, bytes)
    self.told = told
  }

  /// So many bytes are in the temporary file.
  func wroteAside(_ written: Int64) { tell(Self.aside * share(written)) }

  /// All of it is done.
  func end() { tell(1) }

  /// Looks how long the log is, until its task is cancelled: SQLite says nothing while it writes to it.
  func watch(_ layout: StoreLayout) async throws {
    // allow(database-file): asks for its size and opens nothing.
    let before = try layout.folder.status(StoreLayout.log)?.size ?? 0
    while true {
      try await Task.sleep(for: Self.interval)
      // allow(database-file): asks for its size and opens nothing.
      let size = try layout.folder.status(StoreLayout.log)?.size ?? 0
      if size > before { tell(Self.aside + Self.logged * share(size - before)) }
    }
  }

  private func share(_ part: Int64) -> Double { min(1, Double(part) / Double(bytes)) }

  /// Never goes back.
  private func tell(_ fraction: Double) {
    let isFurther = furthest.withLock { furthest in
      guard fraction > furthest else { return false }
      furthest = fraction
      return true
    }
    if isFurther { told(fraction) }
  }
}
