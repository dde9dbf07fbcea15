import KeepsakeFiles

/// Shows a waiting person the progress of indexing for search.
struct IndexingMeter {
  private let terminal: Terminal
  private let start = Instant.now

  /// The time before which nothing is shown, because short work needs no display.
  private static let patience: Duration = .milliseconds(300)

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// A closure that shows a fraction; nil if nobody sees the progress.
  var told: (@Sendable (Double) -> Void)? {
    guard terminal.showsProgress else { return nil }
    return { [terminal, start] fraction in
      guard Instant.now - start >= Self.patience else { return }
      do { try terminal.progress("indexing for search  \(Int(fraction * 100)) %") } catch {
        // If the progress can't be shown, the work goes on nevertheless.
      }
    }
  }
}
