import Foundation
import Testing

@testable import KeepsakeCommand

@Suite("Which store a command uses")
struct StoreChoiceTests {
  @Test(arguments: [
    ["--store", "PATH", "ls"], ["--store=PATH", "ls"], ["ls", "--store", "PATH"],
    ["--read-only", "--store", "PATH", "ls"], ["ls", "--store=PATH", "--read-only"],
  ])
  func `the one that is named, before the command or after it`(arguments: [String]) async throws {
    let fruit = try await FruitStore()
    let run = await CommandRun(
      list: arguments.map { $0.replacing("PATH", with: fruit.path) },
      environment: ["KEEPSAKE_STORE": "/nowhere"])
    #expect(run.code == .done, "\(run.error)")
    #expect(run.output.contains(FruitStore.title))
  }

  @Test func `else the one in the data folder, which the first write makes`() async throws {
    let folder = try TemporaryFolder()
    let environment = ["HOME": folder.url.path]
    let none = await CommandRun(list: ["ls"], environment: environment)
    #expect(none.code == .couldNotRun)
    #expect(none.error.contains("There is no store at '\(folder.url.path)"))
    #expect(none.error.contains("as 'keepsake new' and 'keepsake import' do."))
    let file = Fixtures.path("apple/os26.json")
    #expect(await CommandRun(list: ["import", file], environment: environment).code == .done)
    #expect(await CommandRun(list: ["ls"], environment: environment).output.contains("apple"))
    #expect(await CommandRun(list: ["verify"], environment: environment).code == .done)
    #if os(Linux)
      let path = folder.path(".local/share/keepsake/Default.keepsake")
      #expect(FileManager.default.fileExists(atPath: path))
      let other = try TemporaryFolder()
      let data = environment.merging(["XDG_DATA_HOME": other.url.path]) { $1 }
      #expect(await CommandRun(list: ["import", file], environment: data).code == .done)
      #expect(
        FileManager.default.fileExists(atPath: other.path("keepsake/Default.keepsake")))
    #endif
  }

  @Test(arguments: [[:], ["HOME": ""], ["HOME": "here"]])
  func `without a home it says what to do`(environment: [String: String]) async {
    let run = await CommandRun(list: ["ls"], environment: environment)
    #expect(run.code == .couldNotRun)
    #expect(run.error.contains("HOME is not set. Name the store with --store PATH"))
  }

  @Test func `reading changes no byte, and writing is refused where only reading is asked for`()
    async throws
  {
    let fruit = try await FruitStore()
    func files() throws -> [String: Data] {
      var found: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: fruit.path) {
        found[name] = FileManager.default.contents(atPath: "\(fruit.path)/\(name)")
      }
      return found
    }
    let before = try files()
    for arguments in [["ls"], ["show", "last"], ["--read-only", "search", "banana"]] {
      let run = await CommandRun(
        list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done, "\(run.error)")
    }
    #expect(try files() == before)
    let run = await fruit.run("import", "--read-only", Fixtures.path("apple/os26.json"))
    #expect(run.code != .done)
    #expect(try files() == before)
  }
}
