import KeepsakeFiles

/// Shows a waiting person the progress, speed and remaining time of an import.
final class ImportMeter: Sendable {
  private let terminal: Terminal
  private let state: Locked<State>

  /// The numbers of the import so far.
  private struct State {
    var files = 0
    var bytes: Int64 = 0
    /// The number of the present file, from 1, with its name and size.
    var number = 0
    var name = ""
    var size: Int64 = 0
    /// The bytes of the files before the present one.
    var done: Int64 = 0
    let start = Instant.now
    var shown: Instant?
  }

  /// The least time between two updates of the display.
  private static let interval: Duration = .milliseconds(100)
  /// The time before which no remaining time is shown, because it can't be estimated.
  private static let patience: Duration = .seconds(1)

  init(_ terminal: Terminal) {
    self.terminal = terminal
    state = Locked(State())
  }

  /// Sets the number and size of all files.
  func expect(files: Int, bytes: Int64) {
    state.withLock { state in
      state.files = files
      state.bytes = bytes
    }
  }

  /// Begins a file, and counts the file before it as done.
  func begin(_ name: String, _ size: Int64) throws {
    state.withLock { state in
      state.done += state.size
      state.number += 1
      state.name = name
      state.size = size
    }
    try show(0)
  }

  /// A closure that shows the progress of the file as a fraction; nil if nobody sees the progress.
  var told: (@Sendable (Double) -> Void)? {
    guard terminal.showsProgress else { return nil }
    return { fraction in
      do { try self.show(fraction) } catch {
        // If the progress can't be shown, the work goes on nevertheless.
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

  /// Returns the line to show, such as `3 of 12  45 %  12 MB/s  20 s left  chat.json`.
  private static func text(_ state: State, _ fraction: Double, after time: Duration) -> String {
    let read = Double(state.done) + fraction * Double(state.size)
    return text(
      file: state.files > 1 ? (state.number, state.files) : nil, read: read,
      of: Double(state.bytes), after: time, name: state.name)
  }

  /// Returns the line to show.
  ///
  /// - Parameters:
  ///   - file: The number of the file, and the number of all files; nil for a single file.
  ///   - read: The number of bytes that are done.
  ///   - all: The number of all bytes.
  ///   - time: The time since the start.
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
