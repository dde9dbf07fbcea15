import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand
@testable import KeepsakeFormats

@Suite("Importing our own formats by the command")
struct RestoringTests {
  @Test(arguments: ["json", "bundle"])
  func `import reports the sessions, as for any other format`(format: String) async throws {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let store = try await Store(at: URL(filePath: fruit.path))
    let summary = try #require(try await store.sessions().sessions.first)
    let file = folder.path("file")
    try await store.session(summary.id).export(as: format, to: URL(filePath: file))
    await store.close()
    let other = folder.path("Other.keepsake")
    let run = await CommandRun("import", "--json", "--store", other, file)
    #expect(run.code == .done, "\(run.error)")
    let report = try JSON(validating: run.output)
    let session = try #require(report["sessions"]?[0])
    #expect(session["id"]?.stringValue == summary.id.uuidString.lowercased())
    #expect(session["format"]?.stringValue == format)
    #expect(session["new"]?.boolValue == true)
    #expect(session["added"]?.intValue == Int64(summary.entries))
    #expect(report["skipped"] == .array([]))
    let again = await CommandRun("import", "--json", "--store", other, file)
    let known = try JSON(validating: again.output)["sessions"]?[0]
    #expect(known?["new"]?.boolValue == false)
    #expect(known?["added"]?.intValue == 0)
    #expect(await CommandRun("verify", "--read-data", other).code == .done)
  }

  @Test func `a file with its artifacts beside it, under any name, is taken over whole`()
    async throws
  {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let file = folder.path("my 100% chats.json")
    let written = await fruit.run(
      "export", "--all", "--format", "json", "--artifacts", "files", "-o", file)
    #expect(written.code == .done, "\(written.error)")
    let beside = try FileManager.default.contentsOfDirectory(
      atPath: folder.path("my 100% chats.artifacts"))
    #expect(beside.count == 1)
    let other = folder.path("Other.keepsake")
    let run = await CommandRun("import", "--store", other, file)
    #expect(run.code == .done, "\(run.output)\(run.error)")
    let heads = await CommandRun("verify", "--read-data", "--json", other)
    #expect(try heads.json()["heads"] == (try await fruit.run("verify", "--json").json()["heads"]))
    #expect(try heads.json()["findings"] == .array([]))
  }

  @Test(.enabled(if: BuiltProgram.isBuilt), arguments: [0, 40, 120])
  func `a process that is killed while it restores leaves nothing that is seen`(
    milliseconds: Int
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try await Store(at: URL(filePath: folder.path("Full.keepsake")))
    let session = try await store.createSession(title: "Long")
    for start in stride(from: 0, to: 1200, by: 200) {
      try await session.append((start..<(start + 200)).map { .prompt("\($0)") })
      try await session.attach(
        .init(.data(Data(repeating: UInt8(start / 200), count: 200_000)), madeBy: .user),
        to: start)
    }
    let file = URL(filePath: folder.path("long.tar"))
    try await session.export(as: "bundle", to: file)
    await store.close()

    let path = folder.path("Other.keepsake")
    let own = try await Store(at: URL(filePath: path))
    // With an artifact of its own: a sweep refuses a database that knows none of the files beside it.
    let kept = try await own.createSession(title: "Own")
    try await kept.append(.prompt("mine"))
    try await kept.attach(.init(.data(Data(repeating: 99, count: 200_000)), madeBy: .user), to: 0)
    await own.close()
    let process = Process()
    process.executableURL = URL(filePath: BuiltProgram.path)
    process.arguments = ["--store", path, "import", file.path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Its sign of life is there once it writes.
    let incoming = path + "/incoming"
    while process.isRunning,
      try !FileManager.default.contentsOfDirectory(atPath: incoming).contains(where: {
        $0.hasPrefix("alive-")
      })
    { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(milliseconds))
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()

    let left = try await Store(at: URL(filePath: path))
    let isWhole = try await left.sessions().sessions.count == 2
    if !isWhole {
      #expect(try await left.sessions().sessions.map(\.title) == ["Own"])
      await #expect(throws: KeepsakeError.self) { try await left.session(session.id) }
      #expect(try await left.search("1199").hits.isEmpty)
    }
    #expect(try await left.verify().findings.allSatisfy { $0.severity == .harmless })
    try await left.sweep(olderThan: .zero)
    let report = try await left.verify(.init(readData: true))
    #expect(report.findings == [])
    #expect(report.counts.sessions == (isWhole ? 2 : 1))
    #expect(report.counts.artifacts == (isWhole ? 7 : 1))
    let again = try await left.importFile(at: file)
    #expect(again.sessions.map(\.entries) == [1200])
    #expect(try await left.verify(.init(readData: true)).isSound)
    await left.close()
  }
}
