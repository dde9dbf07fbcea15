import KeepsakeFiles

/// Measures the progress of rewriting a database.
///
/// SQLite writes the used pages to a temporary file, from there to the log, and from the log into the database.
final class CompactProgress: Sendable {
  /// The number of bytes in use.
  private let bytes: Int64
  private let told: @Sendable (Double) -> Void
  private let furthest = Locked(0.0)

  /// The measured shares of the first two parts in the whole duration.
  private static let aside = 0.4
  private static let logged = 0.4
  /// The time between two looks at the length of the log.
  private static let interval: Duration = .milliseconds(100)

  init(bytes: Int64, _ told: @escaping @Sendable (Double) -> Void) {
    self.bytes = max(1, bytes)
    self.told = told
  }

  /// Notes how many bytes are in the temporary file.
  func wroteAside(_ written: Int64) { tell(Self.aside * share(written)) }

  /// Notes that the rewriting is finished.
  func end() { tell(1) }

  /// Follows the length of the log until the task is cancelled, because SQLite does not report its progress in this part.
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

  /// Reports a fraction, unless a higher one was reported before.
  private func tell(_ fraction: Double) {
    let isFurther = furthest.withLock { furthest in
      guard fraction > furthest else { return false }
      furthest = fraction
      return true
    }
    if isFurther { told(fraction) }
  }
}
