import Foundation
import KeepsakeTestSupport
import Testing

/// The program as it is built, run by a shell: for what only a process of its own can show.
enum BuiltProgram {
  /// It stands beside the tests.
  static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "keepsake").path

  static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// Runs lines of bash, in which `$1` is the program and `$2` and so on are the arguments.
  static func bash(_ script: String, _ arguments: String...) throws -> (
    status: Int32, output: String, error: String
  ) {
    try run(["bash", "-c", script, "bash", path] + arguments)
  }

  /// Runs Python, in which `sys.argv[1]` is the program.
  static func python(_ script: String, _ arguments: String...) throws -> (
    status: Int32, output: String, error: String
  ) {
    try run(["python3", "-B", "-c", script, path] + arguments)
  }

  private static func run(_ words: [String]) throws -> (
    status: Int32, output: String, error: String
  ) {
    // A shell warns of a language that the machine does not have.
    let run = try ProgramRun(
      words, environment: ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 })
    return (run.exitCode, run.output, run.errors)
  }
}
