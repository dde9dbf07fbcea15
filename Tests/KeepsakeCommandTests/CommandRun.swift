import Files
import Foundation
import KeepsakeCommand

/// A command that was run inside of this process, and what it printed.
struct CommandRun {
  let code: ExitCode
  let output: String
  let error: String

  init(
    _ arguments: String..., isStyled: Bool = false, environment: [String: String] = [:]
  ) async {
    await self.init(list: arguments, isStyled: isStyled, environment: environment)
  }

  init(
    list arguments: [String], isStyled: Bool = false, environment: [String: String] = [:]
  ) async {
    let output = Locked("")
    let error = Locked("")
    let terminal = Terminal(
      isStyled: isStyled, output: { text in output.withLock { $0 += text } },
      error: { text in error.withLock { $0 += text } })
    code = await Program(terminal: terminal, environment: environment).run(arguments)
    self.output = output.withLock { $0 }
    self.error = error.withLock { $0 }
  }
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
