import Foundation
import KeepsakeTestSupport
import Testing

/// The program as it is built, which stands beside the tests.
enum Program {
  static let path: String = {
    #if os(Linux)
      let tests = URL(filePath: CommandLine.arguments[0])
    #else
      let tests =
        Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        ?? URL(filePath: CommandLine.arguments[0])
    #endif
    return tests.resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "keepsake").path
  }()

  /// Runs lines of a shell to their end.
  static func run(_ script: String) throws {
    let run = try ProgramRun("sh", "-c", script)
    try #require(run.exitCode == 0, "\(script)\n\(run.errors)")
  }
}
