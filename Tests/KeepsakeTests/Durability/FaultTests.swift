#if os(Linux)
  import Foundation
  import KeepsakeTestSupport
  import Testing

  /// Every public change, and opening, while calls of the system fail: a few of the calls here, all of them by hand.
  @Suite struct `A call of the system that fails` {
    @Test(arguments: [
      "no descriptor once", "no descriptor", "opening fails once", "writing fails once",
      "writing fails", "writing is interrupted once", "half is written once", "naming fails once",
    ])
    func `G1: is told as what it is, loses nothing, and the next call works`(fault: String) throws {
      try expectNoFindings(fault)
    }

    @Test(arguments: ["syncing fails once", "the disk is full at the sync"])
    func `G5: a sync that fails once leaves nothing acknowledged that may be lost`(fault: String)
      throws
    {
      try expectNoFindings(fault)
    }

    @Test(arguments: ["the disk is full", "the quota is used up"])
    func `34: a full disk is told from a quota, wherever it is met`(fault: String) throws {
      try expectNoFindings(fault)
    }

    /// Runs the program, which is built beside the tests, in a process of its own: it stands in for calls of the system.
    private func expectNoFindings(_ fault: String) throws {
      let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      let program = tests.deletingLastPathComponent().appending(path: "KeepsakeFaultChild")
      try #require(
        FileManager.default.isExecutableFile(atPath: program.path),
        "KeepsakeFaultChild is not built: run `swift build --build-tests`.")
      let run = try ProgramRun(program.path, "--most", "2", "--fault", fault)
      #expect(run.exitCode == 0, "\(run.errors)")
      #expect(run.output.hasPrefix("trials "), "\(run.output)")
      #expect(run.output.hasSuffix(", findings 0\n"), "\(run.output)")
    }
  }
#endif
