import Foundation
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
    try run("/bin/bash", ["-c", script, "bash", path] + arguments)
  }

  /// Runs Python, in which `sys.argv[1]` is the program.
  static func python(_ script: String, _ arguments: String...) throws -> (
    status: Int32, output: String, error: String
  ) {
    try run("/usr/bin/env", ["python3", "-B", "-c", script, path] + arguments)
  }

  private static func run(_ path: String, _ arguments: [String]) throws -> (
    status: Int32, output: String, error: String
  ) {
    let folder = try TemporaryFolder()
    for name in ["out", "error"] {
      try Data().write(to: URL(filePath: folder.path(name)))
    }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    // A shell warns of a language that the machine does not have.
    process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: folder.path("out")))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: folder.path("error")))
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus,
      try String(contentsOf: URL(filePath: folder.path("out")), encoding: .utf8),
      try String(contentsOf: URL(filePath: folder.path("error")), encoding: .utf8)
    )
  }
}
