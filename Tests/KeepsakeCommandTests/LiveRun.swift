import KeepsakeFiles
import Foundation
import Keepsake
import KeepsakeCommand

/// A command that runs inside of this process until it is stopped, and what it has printed so far.
final class LiveRun: Sendable {
  private let written = Locked<[UInt8]>([])
  private let said = Locked("")
  private let task: Task<ExitCode, Never>

  /// - Parameters:
  ///   - arguments: As the shell would part them.
  ///   - store: The store that the environment names.
  ///   - width: The columns of the terminal that it writes to; nil where it writes to a pipe.
  init(_ arguments: String..., store: String, width: Int? = nil) {
    let written = written
    let said = said
    let terminal = Terminal(
      isTerminal: width != nil, width: width, height: width == nil ? nil : 24,
      output: { bytes in written.withLock { $0 += bytes } },
      error: { text in said.withLock { $0 += text } })
    let program = Program(terminal: terminal, environment: ["KEEPSAKE_STORE": store])
    task = Task { await program.run(arguments) }
  }

  var output: String { written.withLock { String(decoding: $0, as: UTF8.self) } }
  var error: String { said.withLock { $0 } }

  /// Waits until it has printed something; false when it does not within ten minutes.
  func prints(_ text: String) async throws -> Bool {
    try await waits { self.output.contains(text) }
  }

  /// Waits until it has printed a text somewhere after another one; false when it does not within ten minutes.
  func prints(_ text: String, after before: String) async throws -> Bool {
    try await waits {
      let output = self.output
      return output.range(of: before).map { output[$0.upperBound...].contains(text) } ?? false
    }
  }

  /// Waits until it has said something on standard error; false when it does not within ten minutes.
  func says(_ text: String) async throws -> Bool { try await waits { self.error.contains(text) } }

  private func waits(until isSaid: () -> Bool) async throws -> Bool {
    let deadline = Instant.now.advanced(by: .seconds(600))
    while Instant.now < deadline {
      if isSaid() { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  /// Stops it as Ctrl-C does, and waits for its end.
  func stop() async -> ExitCode {
    task.cancel()
    return await task.value
  }

  /// Waits for it to end by itself.
  func end() async -> ExitCode { await task.value }
}
