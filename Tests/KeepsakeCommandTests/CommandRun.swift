import KeepsakeFiles
import Foundation
import Keepsake
import KeepsakeCommand
import KeepsakeTestSupport

/// A command that was run inside of this process, and what it printed.
struct CommandRun {
  let code: ExitCode
  let bytes: [UInt8]
  let error: String

  init(
    _ arguments: String..., isStyled: Bool = false, width: Int? = nil, input: String = "",
    environment: [String: String] = [:]
  ) async {
    await self.init(
      list: arguments, isStyled: isStyled, width: width, input: input, environment: environment)
  }

  /// - Parameters:
  ///   - arguments: As the shell would part them.
  ///   - isStyled: Whether it may use colours.
  ///   - width: The columns of the terminal that it writes to; nil where it writes to a pipe.
  ///   - height: The rows of a terminal that can be written over.
  ///   - input: What it reads on standard input.
  ///   - environment: The variables that it sees.
  ///   - canAsk: Whether a person is there to answer.
  ///   - secondsAhead: By how much the person's clock is ahead of UTC.
  init(
    list arguments: [String], isStyled: Bool = false, width: Int? = nil, height: Int? = nil,
    input: String = "", environment: [String: String] = [:], canAsk: Bool = false,
    secondsAhead: (@Sendable (Int64) -> Int)? = nil
  ) async {
    let output = Locked<[UInt8]>([])
    let error = Locked("")
    let rest = Locked(Array(input.utf8))
    let terminal = Terminal(
      isTerminal: width != nil, isStyled: isStyled, width: width, height: height, canAsk: canAsk,
      secondsAhead: secondsAhead, output: { bytes in output.withLock { $0 += bytes } },
      error: { text in error.withLock { $0 += text } },
      input: {
        rest.withLock { rest in
          // In small pieces, as a pipe may hand it over.
          let piece = Array(rest.prefix(1000))
          rest.removeFirst(piece.count)
          return piece
        }
      })
    code = await Slots.shared.run {
      await Program(terminal: terminal, environment: environment).run(arguments)
    }
    bytes = output.withLock { $0 }
    self.error = error.withLock { $0 }
  }

  /// What it printed, as text.
  var output: String { String(decoding: bytes, as: UTF8.self) }

  /// What it printed, as JSON.
  func json() throws -> JSON { try JSON(validating: bytes) }
}

/// A folder for a test's files, removed when the test is done with it.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "command-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }
}
