import Foundation
import Keepsake
import KeepsakeMigrations
import Testing

@testable import KeepsakeCommand

@Suite("keepsake stats and keepsake doctor")
struct StatsCommandTests {
  @Test func `what a store holds is counted, by type and tool`() async throws {
    let fruit = try await FruitStore()
    let size = Words.size(Int64(fruit.png.count))
    let run = await fruit.run("stats")
    #expect(run.code == .done, "\(run.error)")
    for text in ["sessions      1\n", "artifacts     1, \(size)\n", "image/png", "GenerateImage"] {
      #expect(run.output.contains(text), "\(text)")
    }
    let json = try await fruit.run("stats", "--json").json()
    #expect(json["entries"]?.intValue == 5)
    #expect(json["tools"]?[0]?.names == ["name", "artifacts", "bytes"])
    #expect(json["tools"]?[0]?["bytes"]?.intValue == Int64(fruit.png.count))
  }

  @Test(arguments: [nil, 60] as [Int?])
  func `what a store runs on is told`(width: Int?) async throws {
    let fruit = try await FruitStore()
    let run = await fruit.run("doctor", width: width)
    #expect(run.code == .done, "\(run.error)")
    #expect(run.output.contains("keepsake  \(Program.version)\n"))
    #expect(run.output.contains("SQLite    3."))
    if width != nil {
      for line in run.output.split(separator: "\n") where !line.contains("keepsake/") {
        #expect(String(line).columns <= 60, "\(line)")
      }
    }
    let json = try await fruit.run("doctor", "--json").json()
    #expect(json["schema"]?.intValue == Int64(Migrations.all.count))
    #expect(json["waitingForSearch"]?.intValue != nil)
    #expect(await CommandRun("--store", "/nowhere", "doctor").code == .couldNotRun)
  }
}
