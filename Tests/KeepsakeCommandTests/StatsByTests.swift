import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake stats --by")
struct StatsByTests {
  @Test func `tokens and costs are added up by day, model and session`() async throws {
    let fruit = try await FruitStore()
    let none = await fruit.run("stats", "--by", "day")
    #expect(none.code == .done, "\(none.error)")
    #expect(none.output == "No answer says what it took.\n")

    for (model, input) in [("m-1", 1_234_567), ("m-2", 20)] {
      let line =
        #"{"kind":"response","text":"here","model":"\#(model)","created":"2026-11-20T23:30:00Z","usage":{"input":\#(input),"output":30,"cost":{"amount":0.0125,"currency":"USD"}}}"#
      let run = await fruit.run("append", "last", input: line)
      #expect(run.code == .done, "\(run.error)")
    }
    let days = await fruit.run("stats", "--by", "day").output.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(days == ["DAY ANSWERS INPUT OUTPUT COST", "2026-11-20 2 1,234,587 60 0.0250 USD"])
    let models = await fruit.run("stats", "--by", "model").output
    let rows = models.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(rows == ["MODEL", "m-1", "m-2", "all"])

    let json = try await fruit.run("stats", "--by", "session", "--json").json()
    #expect(json["by"]?.stringValue == "session")
    let share = try #require(json["usage"]?[0])
    #expect(
      share.names == [
        "name", "title", "answers", "input", "cachedInput", "output", "reasoning", "costs",
      ])
    #expect(share["input"]?.intValue == 1_234_587)
    #expect(share["costs"]?.text == #"[{"amount":0.025,"currency":"USD"}]"#)
    #expect(await fruit.run("stats", "--by", "day", "--since", "2026-11-21").output == none.output)
    #expect(await fruit.run("stats", "--by", "kind").code == .usage)
    #expect(await fruit.run("stats", "--since", "7d").code == .usage)
    let tools = await fruit.run("stats", "--by", "tool").output
    #expect(tools.contains("no tool  ") && !tools.contains("\nall"))
    #expect(await fruit.run("stats", "--by", "origin").output.contains("\ntest "))
  }

  @Test func `on a terminal days are bars, from the first to the last`() async throws {
    let fruit = try await FruitStore()
    for (day, input) in [("18", 100), ("20", 800), ("21", 1)] {
      let line =
        #"{"kind":"response","text":"x","created":"2026-11-\#(day)T12:00:00Z","usage":{"input":\#(input)}}"#
      #expect(await fruit.run("append", "last", input: line).code == .done)
    }
    let wide = await fruit.run("stats", "--by", "day", width: 80).output
    #expect(wide.contains("2026-11-18 ▁ █▁ 2026-11-21\n"), "\(wide)")
    let narrow = await fruit.run("stats", "--by", "day", width: 24).output
    #expect(narrow.contains("2026-11-20 █▁ 2026-11-21\n"), "\(narrow)")
    #expect(!(await fruit.run("stats", "--by", "day").output.contains("█")))
  }

  @Test(arguments: [
    ("0", "0.0000"), ("0.00125", "0.0013"), ("1.005", "1.01"), ("1234567.5", "1,234,567.50"),
    ("-3", "-3.00"),
  ])
  func `amounts are read at a glance`(text: String, shown: String) throws {
    #expect(Words.money(try #require(Decimal(string: text))) == shown)
  }
}
