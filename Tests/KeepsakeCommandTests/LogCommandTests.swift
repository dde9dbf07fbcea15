import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake log")
struct LogCommandTests {
  @Test func `what was done is listed, the newest first, page by page`() async throws {
    let fruit = try await FruitStore()
    let nothing = await fruit.run("log")
    #expect(nothing.code == .done)
    #expect(nothing.error.contains("Nothing was done to the store yet."))
    #expect(await fruit.run("import", Fixtures.path("apple/os26.json")).code == .done)
    let id = fruit.session.uuidString.lowercased()
    #expect(await fruit.run("rm", id).code == .done)
    let table = await fruit.run("log")
    let rows = table.output.split(separator: "\n")
    #expect(rows.count == 4)
    #expect(rows[1].contains("purge") && rows[1].contains("session \(id)"))
    #expect(rows[3].contains("import") && rows[3].contains("format apple"))
    let first = await fruit.run("log", "--jsonl", "--limit", "2")
    let lines = try first.output.split(separator: "\n").map { try JSON(validating: String($0)) }
    #expect(lines.map { $0["event"]?.stringValue } == ["purge", "delete", nil])
    let next = try #require(lines[2]["next"]?.stringValue)
    let rest = try await fruit.run("log", "--json", "--after", next).json()
    #expect(rest.arrayValue?.count == 1)
    #expect(rest[0]?.names == ["number", "time", "event", "detail"])
    #expect(rest[0]?["detail"]?["session"]?.stringValue?.count == 36)
    #expect(await fruit.run("log", "--after", "?").code == .usage)
  }
}
