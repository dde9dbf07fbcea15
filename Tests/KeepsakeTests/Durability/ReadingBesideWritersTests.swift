#if os(Linux)
  import Foundation
  import Keepsake
  import Testing

  /// Processes of their own: readers and writers of one process share the index of the log.
  @Suite struct `Reading beside other processes that write` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `never fails`() async throws {
      let store = try await Store(at: folder.store)
      let session = try await store.createSession()
      try await session.append(.prompt("zero"))
      await store.close()
      let writers = try (0..<4).map {
        try Child(["contend", folder.store.path, "\($0)", "--sessions", "one"])
      }
      for writer in writers { try writer.begin() }
      let readers = try (0..<2).map { _ in
        try Child(["read", folder.store.path, "--reads", "600", "--each", "4"])
      }
      for reader in readers {
        let said = try reader.end()
        #expect(said.contains("reads 60"), "\(said)")
        #expect(said.contains(" failed 0 "), "\(said)")
      }
      for writer in writers { _ = try writer.end() }
    }
  }

  /// The program that `tools/crash` starts, which is built beside the tests.
  private final class Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
      let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      let program = tests.deletingLastPathComponent().appending(path: "KeepsakeCrashChild")
      try #require(
        FileManager.default.isExecutableFile(atPath: program.path),
        "KeepsakeCrashChild is not built: run `swift build --build-tests`.")
      process.executableURL = program
      process.arguments = arguments
      process.standardInput = input
      process.standardOutput = output
      try process.run()
    }

    deinit {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }

    /// Lets a writer begin.
    func begin() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

    /// Waits for its end, and gives what it said.
    func end() throws -> String {
      let said = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      return String(decoding: said, as: UTF8.self)
    }
  }
#endif
