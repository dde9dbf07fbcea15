import Foundation
import KeepsakeFiles

/// A program that was run to its end, with empty input.
///
/// Foundation's `Process` can't run the program instead: on Linux `Process` crashes if the test process has many files open.
package struct ProgramRun: Sendable {
  /// The exit code, or 128 and the number of the signal that ended the program.
  package let exitCode: Int32
  /// The bytes that the program printed.
  package let bytes: [UInt8]
  /// The text that the program printed to its error output.
  package let errors: String

  /// The bytes that the program printed, as text.
  package var output: String { String(decoding: bytes, as: UTF8.self) }

  /// Runs a program, and blocks until it ends and nobody has its output open any more.
  ///
  /// - Parameters:
  ///   - words: The name or the path of the program, and its arguments.
  ///   - environment: The program's whole environment. A program that is given by its name is looked for in the folders of `PATH`.
  package init(
    _ words: String..., environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    try self.init(words, environment: environment)
  }

  package init(
    _ words: [String], environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    let errors = FileManager.default.temporaryDirectory.appending(path: "errors-\(UUID())")
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    let output = try ProgramOutput(
      running: "/bin/sh", ["-c", #"exec "$@" 2>"$0""#, errors.path] + words,
      environment: environment, limit: .max)
    exitCode = output.exitCode
    bytes = output.bytes
    self.errors = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
  }
}
