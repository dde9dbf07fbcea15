import KeepsakeFiles

/// Shows a waiting person the progress of rewriting the database.
struct CompactMeter {
  private let terminal: Terminal
  private let words: String

  init(_ terminal: Terminal, bytes: Int64) {
    self.terminal = terminal
    words = "writing \(Words.size(bytes)) anew"
  }

  /// Shows what is being done, before the duration is known.
  func begin() throws { try terminal.progress(words) }

  /// A closure that shows a fraction; nil if nobody sees the progress.
  var told: (@Sendable (Double) -> Void)? {
    guard terminal.showsProgress else { return nil }
    let shown = Locked(0)
    return { [terminal, words] fraction in
      let percent = Int(fraction * 100)
      let isNew = shown.withLock { shown in
        defer { shown = max(shown, percent) }
        return percent > shown
      }
      guard isNew else { return }
      do { try terminal.progress("\(words)  \(percent) %") } catch {
        // If the progress can't be shown, the work goes on nevertheless.
      }
    }
  }
}
