#if os(Linux)
  import Foundation
  import KeepsakeHubConformance
  import KeepsakeTestSupport
  import Testing

  @testable import Keepsake

  /// Processes that share a hub in a folder, and are killed at any moment.
  @Suite struct `A hub in a folder that several processes share` {
    @Test func `has what was acknowledged, once, whoever is killed`() async throws {
      let folder = try HubFolder()
      let hub = try await folder.open()
      let session = UUID()
      var random = SeededGenerator(seed: 11)
      var said: [[String]] = []
      for _ in 0..<4 {
        let children = try (0..<4).map { _ in try Child(["offer", folder.path, session.uuidString])
        }
        for child in children {
          try await Task.sleep(for: .milliseconds(Int.random(in: 60...400, using: &random)))
          said += try child.kill()
        }
      }
      let log = try await hub.log(session, bytes: 1_000_000)
      #expect(log.map(\.version) == (1...).prefix(log.count).map(Int64.init))
      var base: UUID?
      for version in log {
        #expect(version.base == base)
        let bytes = version.stamp.bytes
        #expect(version.bytes == Array(repeating: bytes[0], count: Int(bytes[1]) * 40))
        base = version.stamp
      }
      let versions = Dictionary(
        log.map { ($0.stamp, $0.version) },
        uniquingKeysWith: { first, _ in
          Issue.record("a stamp is there twice")
          return first
        })
      let offered = Set(said.filter { $0[0] == "offer" }.compactMap { UUID(uuidString: $0[1]) })
      #expect(versions.keys.allSatisfy(offered.contains))
      let acknowledged = said.filter { $0[0] == "yes" }
      for words in acknowledged {
        let stamp = try #require(UUID(uuidString: words[1]))
        #expect(versions[stamp] == Int64(words[2]))
      }
      #expect(acknowledged.count > 20, "hardly anything was tried: \(acknowledged.count)")
      _ = try await hub.removeLeftovers()
      #expect(try HubFolder.files(folder.path).allSatisfy { !$0.contains(".keepsake-new-") })
    }
  }

  /// The program that `tools/crash` starts, which is built beside the tests.
  private final class Child {
    private let process = Process()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
      let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      let program = tests.deletingLastPathComponent().appending(path: "KeepsakeCrashChild")
      try #require(
        FileManager.default.isExecutableFile(atPath: program.path),
        "KeepsakeCrashChild is not built: run `swift build --build-tests`.")
      process.executableURL = program
      process.arguments = arguments
      process.standardOutput = output
      try process.run()
    }

    deinit {
      if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }

    /// Kills it, and gives the words of each whole line that it said.
    func kill() throws -> [[String]] {
      Foundation.kill(process.processIdentifier, SIGKILL)
      let said = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal, "it ended by itself")
      let text = String(decoding: said, as: UTF8.self)
      // A last line without its end was never said.
      return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map { $0.split(separator: "\t").map(String.init) }
    }
  }
#endif
