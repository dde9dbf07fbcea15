import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand
@testable import KeepsakeFormats

@Suite("keepsake formats")
struct FormatsCommandTests {
  @Test func `every format is listed, with what is done with it`() async throws {
    let run = await CommandRun("formats")
    #expect(run.code == .done)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.count == Format.all.count + 1)
    for (format, line) in zip(Format.all, lines.dropFirst()) {
      #expect(line.hasPrefix(format.name))
      #expect(line.contains(format.title))
      #expect(line.contains("given back") == (format.givesBack && !format.canWrite))
    }
    #expect(lines.contains { $0.hasPrefix("chatgpt ") && $0.contains("given back") })
    #expect(lines.contains { $0.hasPrefix("llm ") && !$0.contains("given back") })
    let json = try await CommandRun("formats", "--json").json()
    #expect(json.arrayValue?.count == Format.all.count)
  }

  @Test(arguments: Format.all)
  func `of one format it says how it is known, and what it leaves out`(format: Format) async throws
  {
    for name in [format.name] + format.otherNames {
      let run = await CommandRun("formats", name, width: 72)
      #expect(run.code == .done)
      let words = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains(format.title))
      #expect(words.contains(format.sign.map { "yes, known by \($0)" } ?? "read no"))
      for kind in format.leavesOut { #expect(words.contains(kind.title)) }
      #expect(words.contains("leaves out") == format.canWrite)
    }
    let json = try await CommandRun("formats", format.name, "--json").json()
    #expect(json["name"]?.stringValue == format.name)
    #expect(json["sign"]?.stringValue == format.sign)
    #expect(json["leavesOut"]?.arrayValue?.count == format.leavesOut.count)
  }

  @Test func `a format that is not known is a usage error`() async {
    let run = await CommandRun("formats", "word")
    #expect(run.code == .usage)
    #expect(run.error.contains("'keepsake formats' lists them"))
  }

  @Test func `a session of an agent is exported to the byte, and handed over once it changed`()
    async throws
  {
    let fruit = try await FruitStore()
    let file = fruit.folder.path("s.jsonl")
    let line =
      #"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a banana"}}"#
    try Data((line + "\n").utf8).write(to: URL(filePath: file))
    let id = try #require(
      try await fruit.run("import", "--json", file).json()["sessions"]?[0]?["id"]?.stringValue)
    let export = await fruit.run("export", id, "--format", "claude-code")
    #expect(export.output == line + "\n", "\(export.error)")
    #expect(await fruit.run("append", id, "--kind", "response", "here").code == .done)
    let other = await fruit.run("export", id, "--format", "claude-code")
    #expect(other.code == .done, "\(other.error)")
    #expect(other.output.contains("here") && other.output.contains(#""type":"custom-title""#))
  }
}
