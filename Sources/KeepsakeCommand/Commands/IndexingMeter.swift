import KeepsakeFiles

/// How far the indexing for search is; for a person who waits.
struct IndexingMeter {
  private let terminal: Terminal
  private let start = Instant.now

  /// What is done sooner needs no line of its own.
  private static let patience: Duration = .milliseconds(300)

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Takes how far it is; nil where nobody looks.
  var told: (@Sendable (Double) -> Void)? {
    guard terminal.showsProgress else { return nil }
    return { [terminal, start] fraction in
      guard Instant.now - start >= Self.patience else { return }
      do { try terminal.progress("indexing for search  \(Int(fraction * 100)) %") } catch {
        // Where progress can't be shown, the work goes on without.
      }
    }
  }
}
