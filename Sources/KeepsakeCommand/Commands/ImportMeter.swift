import KeepsakeFiles

/// How far an import is, how fast it goes, and how long it may still take; for a person who waits.
final class ImportMeter: Sendable {
  private let terminal: Terminal
  private let state: Locked<State>

  private struct State {
    var files = 0
    var bytes: Int64 = 0
    /// The number of the file that is read, from 1, its name and its size.
    var number = 0
    var name = ""
    var size: Int64 = 0
    /// Of the files before it.
    var done: Int64 = 0
    let start = Instant.now
    var shown: Instant?
  }

  /// How often, at most, it is shown anew.
  private static let interval: Duration = .milliseconds(100)
  /// Before so much time is over, nobody can tell how long it will take.
  private static let patience: Duration = .seconds(1)

  init(_ terminal: Terminal) {
    self.terminal = terminal
    state = Locked(State())
  }

  /// What there is to do in all.
  func expect(files: Int, bytes: Int64) {
    state.withLock { state in
      state.files = files
      state.bytes = bytes
    }
  }

  /// A file begins, and the one before it is done.
  func begin(_ name: String, _ size: Int64) throws {
    state.withLock { state in
      state.done += state.size
      state.number += 1
      state.name = name
      state.size = size
    }
    try show(0)
  }

  /// Takes how far the file is; nil where nobody looks.
  var told: (@Sendable (Double) -> Void)? {
    guard terminal.showsProgress else { return nil }
    return { fraction in
      do { try self.show(fraction) } catch {
        // Where progress can't be shown, the work goes on without.
      }
    }
  }

  private func show(_ fraction: Double) throws {
    guard terminal.showsProgress else { return }
    let now = Instant.now
    let text = state.withLock { state -> String? in
      if let shown = state.shown, now - shown < Self.interval { return nil }
      state.shown = now
      return Self.text(state, fraction, after: now - state.start)
    }
    if let text { try terminal.progress(text) }
  }

  /// `3 of 12  45 %  12 MB/s  20 s left  chat.json`.
  private static func text(_ state: State, _ fraction: Double, after time: Duration) -> String {
    let read = Double(state.done) + fraction * Double(state.size)
    return text(
      file: state.files > 1 ? (state.number, state.files) : nil, read: read,
      of: Double(state.bytes), after: time, name: state.name)
  }

  /// - Parameters:
  ///   - file: Which file it is, and of how many.
  ///   - read: How many bytes are done.
  ///   - all: How many there are.
  ///   - time: How long that took.
  ///   - name: The file's name.
  static func text(
    file: (Int, Int)?, read: Double, of all: Double, after time: Duration, name: String
  ) -> String {
    var parts = file.map { ["\($0) of \($1)"] } ?? []
    if all > 0 {
      parts.append("\(Int(min(1, read / all) * 100)) %")
      let seconds =
        Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
      if time >= patience, read > 0 {
        let rate = read / seconds
        parts.append("\(Words.size(Int64(rate)))/s")
        if read < all { parts.append("\(Words.duration((all - read) / rate)) left") }
      }
    }
    return (parts + [name]).joined(separator: "  ")
  }
}
