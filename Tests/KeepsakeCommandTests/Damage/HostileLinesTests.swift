import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("Lines of JSON that are made to do harm")
struct HostileLinesTests {
  static let good = #"{"kind":"prompt","text":"one"}"#

  /// What comes on standard input, the line that the error names, and what it says.
  static let broken: [(input: String, line: Int, said: String)] = [
    ("\u{FEFF}\(good)\n", 1, "byte order mark"),
    ("\(good)\n\(good.dropLast(4))\n\(good.dropFirst(20))\n", 2, "ends"),
    ("\(good)\n\(good)\(good)\n", 2, "follows"),
    ("\(good)\n\(good)\n\u{1F}\u{8B}", 3, "expected"),
    ("\(good)\r\n\r\n\(good)\r\n\0\n\(good)x", 5, "follows"),
    ("\(good)\n[\(good)]", 2, "object"),
    (
      String(repeating: "\(good)\n", count: 5000) + String(repeating: "[", count: 100_000), 5001,
      "512"
    ),
    (#"{"kind":"prompt","text":"one","text":"two"}"#, 1, "twice"),
    (#"{"kind":"prompt","text":NaN}"#, 1, "expected"),
  ]

  @Test func `E8: lines that are no entries are refused by their number, and nothing is appended`()
    async throws
  {
    let fruit = try await FruitStore()
    for (input, line, said) in Self.broken {
      let run = await fruit.run("append", "last", input: input)
      #expect(run.code == .failed, "\(input.prefix(100))")
      #expect(run.error.lowercased().contains("line \(line):"), "\(run.error)")
      #expect(run.error.contains(said), "\(run.error)")
      #expect(run.error.contains("Nothing was appended"))
    }
    #expect(try await fruit.run("ls", "--json").json()[0]?["entries"]?.intValue == 5)
    #expect(await fruit.run("verify").code == .done)
  }

  @Test func `E8: lines may end as they do elsewhere, be empty, long, and the last one not end`()
    async throws
  {
    let fruit = try await FruitStore()
    let long = String(repeating: "x", count: 5 << 20)
    let input = "\(Self.good)\r\n\r\n  \n\(Self.good)\n{\"kind\":\"event\",\"text\":\"\(long)\"}"
    let run = await fruit.run("append", "last", input: input)
    #expect(run.code == .done, "\(run.error)")
    #expect(run.output.split(separator: "\n").count == 3)
    let shown = try await fruit.run("show", "last", "--entry", "7", "--json").json()
    #expect(shown["entries"]?[0]?["text"]?.stringValue == long)
    #expect(await fruit.run("verify", "--read-data").code == .done)
  }
}
