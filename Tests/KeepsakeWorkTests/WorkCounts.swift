import Foundation
import KeepsakeTestSupport
import Testing

/// What `KeepsakeWork` counted: for each piece of work, each count by its name.
struct WorkCounts: Decodable {
  let build: String
  let work: [String: [String: Int]]

  /// Runs the program, which is built beside these tests, in a process of its own.
  init(times: Int = 1) throws {
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let program = tests.deletingLastPathComponent().appending(path: "KeepsakeWork")
    try #require(
      FileManager.default.isExecutableFile(atPath: program.path),
      "KeepsakeWork is not built: run `swift build --build-tests`.")
    let fixture = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/apple/os27.json")
    let run = try ProgramRun(program.path, fixture.path, "--times", "\(times)")
    try #require(run.exitCode == 0, "\(run.errors)")
    self = try JSONDecoder().decode(WorkCounts.self, from: Data(run.bytes))
  }

  /// Each count that is above its limit, as a sentence.
  var excesses: [String] {
    WorkLimits.all.flatMap { limit in
      limit.counts(build: build).compactMap { count, most in
        let found = work[limit.work]?[count]
        return found.map { $0 <= most } ?? false
          ? nil
          : "\(limit.work): \(count) \(found.map(String.init) ?? "not counted"), limit \(most)"
      }
    }
  }
}
