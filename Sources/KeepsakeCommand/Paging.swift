import KeepsakeFiles

/// Shows a command's output in a pager if it is longer than the screen.
///
/// The output is held back until it is longer. Messages come after the pager has ended, because it would overwrite them.
final class Paging: Sendable {
  private let terminal: Terminal
  private let start: @Sendable () throws -> Pager
  private let state: Locked<State>

  /// The output and messages that are held back, and the pager once it runs.
  private struct State {
    var held: [UInt8] = []
    var notes = ""
    var lines = 0
    var pager: Pager?
  }

  /// Creates the paging of a command's output.
  ///
  /// - Parameters:
  ///   - terminal: The terminal for output that fits the screen.
  ///   - start: Starts the pager.
  init(_ terminal: Terminal, starting start: @escaping @Sendable () throws -> Pager) {
    self.terminal = terminal
    self.start = start
    state = Locked(State())
  }

  /// The terminal for the command to write to.
  var paged: Terminal { terminal.writing(write, note: { self.note($0) }) }

  private func write(_ bytes: [UInt8]) throws {
    let (pager, ready): (Pager?, [UInt8]) = state.withLock { state in
      if let pager = state.pager { return (pager, bytes) }
      state.held += bytes
      state.lines += bytes.count { $0 == UInt8(ascii: "\n") }
      // The last line of the screen is for the shell's prompt.
      guard state.lines >= terminal.height ?? .max else { return (nil, []) }
      defer { state.held = [] }
      return (nil, state.held)
    }
    if ready.isEmpty { return }
    if let pager { return try pager.write(ready) }
    let new = try start()
    state.withLock { $0.pager = new }
    try new.write(ready)
  }

  private func note(_ text: String) { state.withLock { $0.notes += text } }

  /// Prints output that fits the screen, or waits for the pager, and then prints the messages.
  func finish() throws {
    let state = state.withLock { $0 }
    if let pager = state.pager { pager.finish() } else { try terminal.output(state.held) }
    if !state.notes.isEmpty { try terminal.error(state.notes) }
  }
}

extension Terminal {
  /// Returns the command line of the person's pager; nil if there is none.
  static func pagerCommand(_ environment: [String: String]) -> String? {
    switch environment["PAGER"] {
    case nil: ChildProcess.find("less", in: environment["PATH"] ?? "").map { _ in "less" }
    case "", "cat": nil
    case let command: command
    }
  }

  /// Returns the environment for a pager; `less` shows colours and leaves short text on the screen.
  static func pagerEnvironment(_ environment: [String: String]) -> [String: String] {
    environment.merging(["LESS": "FRX"]) { own, _ in own }
  }
}
