import Foundation
import KeepsakeFiles

/// The command `keepsake serve`, as a process of its own.
final class ServeProcess {
  private let process = Process()
  private let folder: TemporaryFolder

  /// The program, which is built beside the tests.
  private static let program: URL = {
    #if os(Linux)
      let tests = URL(filePath: CommandLine.arguments[0])
    #else
      let tests =
        Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        ?? URL(filePath: CommandLine.arguments[0])
    #endif
    return tests.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "keepsake")
  }()

  init(_ arguments: [String], store: String) throws {
    folder = try TemporaryFolder()
    for name in ["out", "error"] { try Data().write(to: URL(filePath: folder.path(name))) }
    process.executableURL = Self.program
    process.arguments = arguments
    process.environment = ["KEEPSAKE_STORE": store]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: folder.path("out")))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: folder.path("error")))
    try process.run()
  }

  deinit { kill() }

  var output: String {
    get throws {
      String(decoding: try Data(contentsOf: URL(filePath: folder.path("out"))), as: UTF8.self)
    }
  }
  var error: String {
    get throws {
      String(decoding: try Data(contentsOf: URL(filePath: folder.path("error"))), as: UTF8.self)
    }
  }

  /// The first line that it prints; nil where it ends without one.
  func firstLine() async throws -> String? {
    let deadline = Instant.now.advanced(by: .seconds(300))
    while Instant.now < deadline {
      let text = try output
      if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
      if !process.isRunning { return nil }
      try await Task.sleep(for: .milliseconds(10))
    }
    return nil
  }

  /// The port of the link that it prints.
  func port() async throws -> Int {
    let line = try await firstLine() ?? ""
    let rest = line.dropFirst("http://127.0.0.1:".count)
    guard let port = Int(rest.prefix { $0 != "/" }) else { throw NoPort(said: line + (try error)) }
    return port
  }

  struct NoPort: Error {
    let said: String
  }

  func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
  }

  func interrupt() { Foundation.kill(process.processIdentifier, SIGINT) }

  /// Waits for its end, and gives its code.
  func end() async throws -> Int32 {
    let deadline = Instant.now.advanced(by: .seconds(300))
    while process.isRunning, Instant.now < deadline { try await Task.sleep(for: .milliseconds(10)) }
    kill()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
