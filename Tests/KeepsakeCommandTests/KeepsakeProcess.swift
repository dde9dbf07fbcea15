import KeepsakeFiles
import Foundation

/// The command as a process of its own, as a shell starts it.
final class KeepsakeProcess {
  private let process = Process()
  private let folder: TemporaryFolder
  private let written: URL
  private let said: URL

  /// The program, which is built beside the tests.
  static let executable: URL = {
    #if os(Linux)
      let tests = URL(filePath: CommandLine.arguments[0])
    #else
      let tests =
        Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        ?? URL(filePath: CommandLine.arguments[0])
    #endif
    return tests.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "keepsake")
  }()

  /// - Parameters:
  ///   - arguments: As the shell would part them.
  ///   - store: The store that the environment names.
  ///   - environment: The variables that it sees beside that; no others.
  convenience init(_ arguments: String..., store: String, environment: [String: String] = [:])
    throws
  {
    try self.init(
      Self.executable, arguments,
      environment: environment.merging(["KEEPSAKE_STORE": store]) { $1 })
  }

  init(_ executable: URL, _ arguments: [String], environment: [String: String]) throws {
    folder = try TemporaryFolder()
    written = URL(filePath: folder.path("out"))
    said = URL(filePath: folder.path("error"))
    for file in [written, said] { try Data().write(to: file) }
    process.executableURL = executable
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: written)
    process.standardError = try FileHandle(forWritingTo: said)
    try process.run()
  }

  deinit { kill() }

  var output: String {
    get throws { String(decoding: try Data(contentsOf: written), as: UTF8.self) }
  }
  var error: String { get throws { String(decoding: try Data(contentsOf: said), as: UTF8.self) } }

  /// Waits until it has printed something; false when it does not within ten minutes.
  func prints(_ text: String) async throws -> Bool {
    let deadline = Instant.now.advanced(by: .seconds(600))
    while Instant.now < deadline {
      if try output.contains(text) { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  /// Stops it as Ctrl-C does, and gives its code.
  func interrupt() async throws -> Int32 {
    send(SIGINT)
    return try await end()
  }

  func send(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

  var isRunning: Bool { process.isRunning }

  /// Waits for its end, for ten minutes at most, and gives its code.
  func end() async throws -> Int32 {
    let deadline = Instant.now.advanced(by: .seconds(600))
    while process.isRunning, Instant.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
    }
    kill()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Whether it ends by itself soon; if not, it is ended.
  func ends(within seconds: Int) async throws -> Bool {
    let deadline = Instant.now.advanced(by: .seconds(seconds))
    while process.isRunning, Instant.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
    }
    defer { kill() }
    return !process.isRunning
  }

  /// Ends what a blocked signal would not.
  func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
  }
}
