import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake verify")
struct VerifyCommandTests {
  private func demoStore(in folder: TemporaryFolder) async -> String {
    let path = folder.path("Demo.keepsake")
    let run = await CommandRun("demo", path)
    #expect(run.code == .done)
    return path
  }

  @Test func `the report is JSON when it is asked for`() async throws {
    let folder = try TemporaryFolder()
    let path = await demoStore(in: folder)
    let run = await CommandRun("verify", "--json", "--full", path)
    #expect(run.code == .done)
    let report = try JSONDecoder().decode(VerifyReport.self, from: Data(run.output.utf8))
    #expect(report.counts.entries == 5)
    #expect(report.heads.count == 1)
  }

  @Test func `heads that were kept elsewhere are compared with`() async throws {
    let folder = try TemporaryFolder()
    let path = await demoStore(in: folder)
    let heads = folder.path("heads")
    let first = await CommandRun("verify", "--heads", heads, path)
    #expect(first.code == .done)
    #expect(first.error.contains("are in '\(heads)'"))
    #expect(await CommandRun("verify", "--heads", heads, path).code == .done)

    let text = try String(contentsOfFile: heads, encoding: .utf8)
    let digit = try #require(text.last { $0.isHexDigit })
    let altered = text.trimmingCharacters(in: .newlines).dropLast() + (digit == "0" ? "1" : "0")
    try Data(altered.utf8).write(to: URL(filePath: heads))
    let other = await CommandRun("verify", "--heads", heads, path)
    #expect(other.code == .damaged)
    #expect(other.output.contains("Damaged"))

    try Data("nonsense\n".utf8).write(to: URL(filePath: heads))
    let nonsense = await CommandRun("verify", "--heads", heads, path)
    #expect(nonsense.code == .usage)
    #expect(nonsense.error.contains("Line 1 of"))
  }

  @Test func `G11: an older copy and another store in a store's place are told by their heads`()
    async throws
  {
    let fruit = try await FruitStore()
    let heads = fruit.folder.path("heads")
    let older = fruit.folder.path("Older.keepsake")
    #expect(await fruit.run("backup", older).code == .done)
    #expect(await fruit.run("append", "last", "--kind", "event", "x").code == .done)
    #expect(await fruit.run("verify", "--heads", heads).code == .done)

    #expect(await CommandRun("verify", older).code == .done)
    let rolledBack = await CommandRun("verify", "--heads", heads, older)
    #expect(rolledBack.code == .damaged)
    #expect(rolledBack.output.contains("an older copy was put back"))
    let going = await CommandRun("append", "last", "--kind", "event", "y", "--store", older)
    #expect(going.code == .done, "\(going.error)")
    let rewritten = await CommandRun("verify", "--heads", heads, older)
    #expect(rewritten.code == .damaged)
    #expect(rewritten.output.contains("its past was rewritten"))
    let another = await CommandRun("verify", "--heads", heads, await demoStore(in: fruit.folder))
    #expect(another.code == .damaged)
    #expect(another.output.contains("It is not in the store"))
  }

  @Test func `a store that is not there is not made`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("None.keepsake")
    let run = await CommandRun("verify", path)
    #expect(run.code == .couldNotRun)
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
