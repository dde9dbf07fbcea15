import KeepsakeFiles

/// A program that shows text a page at a time: what it is given, and waiting until the person has seen enough.
struct Pager: Sendable {
  let write: @Sendable ([UInt8]) throws -> Void
  let finish: @Sendable () -> Void
}

/// What a command prints on a terminal, shown a page at a time once it is more than the screen holds.
///
/// Until then it is held back. What is said beside it comes when the pager is gone, which would write over it.
final class Paging: Sendable {
  private let terminal: Terminal
  private let start: @Sendable () throws -> Pager
  private let state: Locked<State>

  private struct State {
    var held: [UInt8] = []
    var notes = ""
    var lines = 0
    var pager: Pager?
  }

  /// - Parameters:
  ///   - terminal: Where what fits is written.
  ///   - start: Starts the pager.
  init(_ terminal: Terminal, starting start: @escaping @Sendable () throws -> Pager) {
    self.terminal = terminal
    self.start = start
    state = Locked(State())
  }

  /// The terminal that the command writes to.
  var paged: Terminal { terminal.writing(write, note: { self.note($0) }) }

  private func write(_ bytes: [UInt8]) throws {
    let (pager, ready): (Pager?, [UInt8]) = state.withLock { state in
      if let pager = state.pager { return (pager, bytes) }
      state.held += bytes
      state.lines += bytes.count { $0 == UInt8(ascii: "\n") }
      // The last line is the shell's.
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

  /// Writes what fits on the screen, or waits for the pager, and then says what was to be said.
  func finish() throws {
    let state = state.withLock { $0 }
    if let pager = state.pager { pager.finish() } else { try terminal.output(state.held) }
    if !state.notes.isEmpty { try terminal.error(state.notes) }
  }
}

extension Terminal {
  /// The line that starts the person's pager; nil where there is none.
  static func pagerCommand(_ environment: [String: String]) -> String? {
    switch environment["PAGER"] {
    case nil: ChildProcess.find("less", in: environment["PATH"] ?? "").map { _ in "less" }
    case "", "cat": nil
    case let command: command
    }
  }

  /// The variables for a pager: 'less' shows colours, and leaves what fits on the screen.
  static func pagerEnvironment(_ environment: [String: String]) -> [String: String] {
    environment.merging(["LESS": "FRX"]) { own, _ in own }
  }
}
