import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake backup")
struct BackupCommandTests {
  @Test func `copies the store, and says what is in the copy`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("Demo.keepsake")
    #expect(await CommandRun("demo", path).code == .done)
    let place = folder.path("Copy.keepsake")
    let run = await CommandRun("backup", "--store", path, place)
    #expect(run.code == .done)
    #expect(run.output.hasPrefix("Sound: 1 session, 5 entries"))
    #expect(run.output.contains("in '\(place)'."))
    #expect(
      await CommandRun("show", "--store", place, "last").output
        == CommandRun("show", "--store", path, "last").output)

    let again = await CommandRun("backup", "--store", path, place)
    #expect(again.code == .failed)
    #expect(again.error.contains("something is there already"))

    let json = await CommandRun("backup", "--store", path, "--json", folder.path("b"))
    let shape = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(Set(shape.keys) == ["path", "bytes", "report"])
    #expect(shape["path"] as? String == folder.path("b"))
  }

  @Test func `of a damaged store ends with 2`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("Demo.keepsake")
    let large = folder.path("large.bin")
    try Data(repeating: 3, count: 200_000).write(to: URL(filePath: large))
    #expect(await CommandRun("demo", path).code == .done)
    #expect(await CommandRun("attach", "--store", path, "last", large).code == .done)
    try FileManager.default.removeItem(atPath: path + "/artifacts")
    let run = await CommandRun("backup", "--store", path, folder.path("Copy.keepsake"))
    #expect(run.code == .damaged)
    #expect(run.output.hasPrefix("Damaged: "), "\(run.output)")
    #expect(run.error.contains("sha256:"), "\(run.error)")
    #expect(!run.output.contains("sha256:"), "\(run.output)")
    #expect(FileManager.default.fileExists(atPath: folder.path("Copy.keepsake")))
  }
}
