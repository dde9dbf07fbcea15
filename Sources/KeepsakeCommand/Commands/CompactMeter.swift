import KeepsakeFiles

/// How far a database is that is written anew; for a person who waits.
struct CompactMeter {
  private let terminal: Terminal
  private let words: String

  init(_ terminal: Terminal, bytes: Int64) {
    self.terminal = terminal
    words = "writing \(Words.size(bytes)) anew"
  }

  /// Says what is done, before it is known how long it takes.
  func begin() throws { try terminal.progress(words) }

  /// Takes how far it is; nil where nobody looks.
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
        // Where progress can't be shown, the work goes on without.
      }
    }
  }
}
