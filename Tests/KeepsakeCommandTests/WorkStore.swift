import Foundation
import Keepsake

/// A store with a session of an agent that wrote a file, and the folder in which the file lies.
struct WorkStore {
  let folder: TemporaryFolder
  var path: String { folder.path("Chats.keepsake") }

  init() async throws {
    folder = try TemporaryFolder()
    let store = try await Store(at: URL(filePath: folder.path("Chats.keepsake")))
    let session = try await store.createSession()
    try await session.append(.prompt("Make an app"))
    let text = "print('a')\n"
    let arguments = JSON.object([
      ("file_path", .string(folder.path("app.py"))), ("content", .string(text)),
    ])
    let call = Entry.ToolCall(id: "c1", tool: "Write", arguments: arguments.text)
    try await session.append(.toolCalls([call]))
    try await session.append(.toolOutput(for: call, text: "ok"))
    await store.close()
    try Data(text.utf8).write(to: URL(filePath: folder.path("app.py")))
  }

  func run(_ arguments: String...) async -> CommandRun {
    await CommandRun(
      list: arguments + ["--store", path],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        // The folder for temporary files may itself lie in a repository, which is not the one that is meant.
        "GIT_CEILING_DIRECTORIES": folder.url.deletingLastPathComponent().path,
      ])
  }

  /// Makes the folder a repository with the file in it.
  /// - Returns: The commit's id.
  func commit(_ subject: String) throws -> String {
    let script = """
      cd "$2" && git init -q . && git add app.py &&
      git -c user.name=Alice -c user.email=alice@example.org commit -qm "$3" && git rev-parse HEAD
      """
    let run = try BuiltProgram.bash(script, folder.path(""), subject)
    return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
