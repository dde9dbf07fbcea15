import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("A store whose schema somebody changed")
struct SchemaRemedyTests {
  @Test(arguments: [
    "DROP TABLE search", "DROP INDEX attachment_by_artifact", "DROP TABLE search_queue",
    "CREATE TRIGGER thief AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
    "CREATE TABLE extra (a); CREATE VIEW v AS SELECT * FROM extra",
  ])
  func `E5: what verify advises gives a store that is as it should be`(sql: String) async throws {
    let store = try await FullStore()
    defer { withExtendedLifetime(store) {} }
    try FullStore.change(store.path, sql)
    let environment = ["KEEPSAKE_STORE": store.path]
    let verify = await CommandRun("verify", environment: environment)
    #expect(verify.code == .damaged)
    #expect(
      verify.output.contains("keepsake export --all --format bundle -o FILE"), "\(verify.output)")
    let file = store.folder.path("all.tar")
    let export = await CommandRun(
      "export", "--all", "--format", "bundle", "-o", file, environment: environment)
    #expect(export.code == .done, "\(export.error)")
    let fresh = ["KEEPSAKE_STORE": store.folder.path("New.keepsake")]
    let read = await CommandRun("import", file, environment: fresh)
    #expect(read.code == .done, "\(read.error)")
    let sound = await CommandRun("verify", "--read-data", environment: fresh)
    #expect(sound.code == .done, "\(sound.output)")
    var counts: [Int?] = []
    for environment in [environment, fresh] {
      counts.append(
        try await CommandRun("ls", "--json", environment: environment).json().arrayValue?.count)
    }
    #expect(counts[0] == counts[1])
  }
}
