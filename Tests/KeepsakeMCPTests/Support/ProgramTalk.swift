import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakeMCP

/// A client that starts `keepsake mcp`, and holds every byte of its output to one message a line.
final class ProgramTalk: @unchecked Sendable {
  // `@unchecked`: the process is used by the test's task alone, and what threads share is in `state`.
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let state = Monitor(State())

  private struct State {
    var messages: [JSON] = []
    /// Lines that are no message.
    var stray: [String] = []
    var pending: [UInt8] = []
    var hasEnded = false
  }

  /// - Parameters:
  ///   - store: The path of the store.
  ///   - options: Further arguments.
  ///   - isRead: Whether the output is read; else it fills its pipe.
  init(_ store: String, _ options: [String] = [], isRead: Bool = true) throws {
    process.executableURL = URL(filePath: Program.path)
    process.arguments = ["mcp", store] + options
    // As clients start servers: with few variables.
    process.environment = ["HOME": "/nowhere", "PATH": "/usr/bin:/bin"]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    if isRead { read() }
  }

  deinit {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
  }

  var identifier: Int32 { process.processIdentifier }

  private func read() {
    let handle = output.fileHandleForReading
    Thread.detachNewThread { [state] in
      while true {
        let piece = handle.availableData
        state.withLock { state in
          if piece.isEmpty { state.hasEnded = true }
          state.pending += piece
          while let end = state.pending.firstIndex(of: 0x0A) {
            let line = Array(state.pending[..<end])
            state.pending.removeFirst(end + 1)
            if let json = try? JSON(validating: line),
              json["jsonrpc"] == "2.0" || json.kind == .array
            {
              state.messages.append(json)
            } else {
              state.stray.append(String(decoding: line, as: UTF8.self))
            }
          }
        }
        state.broadcast()
        if piece.isEmpty { return }
      }
    }
  }

  /// Sends lines with one write.
  func send(_ lines: String...) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
  }

  func send(bytes: [UInt8]) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(bytes))
  }

  /// Waits for the answer to a request.
  func answer(_ id: JSON) async throws -> JSON {
    try #require(await wait { $0.first { $0["id"] == id } }, "no answer to \(id)")
  }

  /// Waits until the messages so far hold something; nil when the program ended without it.
  func wait<Result: Sendable>(
    _ condition: @escaping @Sendable ([JSON]) -> Result?
  ) async -> Result? {
    await withCheckedContinuation { done in
      Thread.detachNewThread { [state] in
        let result: Result?? = state.wait(until: .now.advanced(by: .seconds(300))) { state in
          if let found = condition(state.messages) { return .some(found) }
          return state.hasEnded ? .some(nil) : nil
        }
        done.resume(returning: result ?? nil)
      }
    }
  }

  var messages: [JSON] { state.withLock { $0.messages } }

  func closeInput() throws { try input.fileHandleForWriting.close() }
  func closeOutput() throws { try output.fileHandleForReading.close() }
  func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

  /// Waits for the end, which must come by itself, and gives the exit code.
  func end() async throws -> (code: Int32, signal: Bool) {
    let begun = ContinuousClock.now
    while process.isRunning, ContinuousClock.now - begun < .seconds(60) {
      try await Task.sleep(for: .milliseconds(5))
    }
    try #require(!process.isRunning, "it runs on")
    return (process.terminationStatus, process.terminationReason == .uncaughtSignal)
  }

  /// Whether every byte of the output was a message of one line. Asked at the end.
  func isPure() async -> Bool {
    _ = await wait { _ -> Bool? in nil }
    return state.withLock { $0.stray.isEmpty && $0.pending.isEmpty }
  }
}
