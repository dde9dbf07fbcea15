import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("What a person meets")
struct PersonsTests {
  @Test func `in a pipe a long title pads no other line, and is not cut off`() async throws {
    let fruit = try await FruitStore()
    let title = String(repeating: "long ", count: 90) + "end"
    try await fruit.change { store in _ = try await store.createSession(title: title) }
    let lines = await fruit.run("ls").output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].contains(title))
    for line in [lines[0], lines[2]] { #expect(String(line).columns < 150, "\(line)") }
    #expect(lines[0].hasPrefix("SESSION   TITLE"))
  }

  @Test func `who speaks is called the same by show, search, a page and Markdown`() async throws {
    let fruit = try await FruitStore()
    let shown = await fruit.run("show", "last").output
    let found = await fruit.run("search", "banana").output
    let page = await fruit.run("export", "last", "--format", "html").output
    let markdown = await fruit.run("export", "last", "--format", "markdown").output
    for (position, name) in [(1, "prompt"), (4, "response")] {
      let head = "     \(position)  \(name)"
      #expect(shown.contains(head.dropFirst(2)), "\(shown)")
      #expect(found.contains(head), "\(found)")
      #expect(page.contains(">\(name.capitalized)<"))
      #expect(markdown.contains("## \(name.capitalized)"))
    }
    #expect(found.contains("     3  tool output"), "\(found)")
    #expect(page.contains(">Tool call<"))
  }

  @Test func `an import says of each session from which file it is, and what it begins with`()
    async throws
  {
    let folder = try TemporaryFolder()
    let chats = folder.url.appending(path: "chats")
    try FileManager.default.createDirectory(at: chats, withIntermediateDirectories: true)
    for name in ["bread", "cake"] {
      let text =
        #"{"transcript":{"entries":[{"id":"\#(name)","role":"user","contents":[{"type":"text","text":"\#(name), please"}]}]}}"#
      try Data(text.utf8).write(to: chats.appending(path: "\(name).json"))
    }
    let run = await CommandRun("--store", folder.path("S.keepsake"), "import", chats.path)
    #expect(run.code == .done, "\(run.output)")
    for name in ["bread", "cake"] {
      let line = run.output.split(separator: "\n").first { $0.contains("\(name).json") }
      #expect(line?.contains("\(name), please") == true, "\(run.output)")
    }
    #expect(run.output.contains("FILE"))
  }

  @Test func `rm asks a person before it deletes, and never asks in a pipe`() async throws {
    let fruit = try await FruitStore()
    func remove(_ arguments: String..., answer: String, canAsk: Bool = true) async -> CommandRun {
      await CommandRun(
        list: ["rm"] + arguments, input: answer, environment: ["KEEPSAKE_STORE": fruit.path],
        canAsk: canAsk)
    }
    for answer in ["n\n", "\n", "", "no\n"] {
      let kept = await remove("last", answer: answer)
      #expect(kept.code == .failed)
      #expect(kept.error.contains("\(Words.short(fruit.session))  Fruit  (5 entries)"))
      #expect(kept.error.contains("Delete this session?"))
      #expect(kept.error.hasSuffix("Nothing was deleted.\n"))
      #expect(await fruit.run("show", "last").code == .done)
    }
    let agreed = await remove("last", answer: "Yes\n")
    #expect(agreed.code == .done)
    #expect(agreed.error.contains("Deleted "))
    for isPerson in [true, false] {
      let id = await fruit.run("new").output.trimmingCharacters(in: .newlines)
      let arguments = isPerson ? ["rm", id, "--yes"] : ["rm", id]
      let run = await CommandRun(
        list: arguments, environment: ["KEEPSAKE_STORE": fruit.path], canAsk: isPerson)
      #expect(run.code == .done)
      #expect(!run.error.contains("[y/N]"))
    }
  }

  @Test func `doctor says what this SQLite means for the person who asks`() async throws {
    let fruit = try await FruitStore()
    let run = await fruit.run("doctor")
    #expect(!run.output.contains("damages"), "\(run.output)")
    let line = run.output.split(separator: "\n").first { $0.hasPrefix("SQLite") }
    let hasBug = try await fruit.run("doctor", "--json").json()["walResetBug"]?.boolValue
    #expect(line?.contains("Your stores are safe") == hasBug, "\(run.output)")
    #expect(line?.contains("another program") == hasBug)
  }

  @Test func `a page's cursor leaves its hits on the screen`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      try await session.append((0..<900).map { .prompt("quince \($0 % 7) \($0)") })
    }
    var found: [String] = []
    var rest: [String] = []
    repeat {
      let run = await CommandRun(
        list: ["search", "--ranked", "--jsonl", "--limit", "77", "quince"] + rest,
        environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done, "\(run.error)")
      let lines = try run.output.split(separator: "\n").map { try JSON(validating: String($0)) }
      found += lines.compactMap { $0["snippet"]?.stringValue }
      rest = lines.last?["next"]?.stringValue.map { ["--after", $0] } ?? []
      #expect(rest.joined(separator: " ").count <= 200)
    } while !rest.isEmpty && found.count < 2000
    #expect(found.count == 900)
    #expect(Set(found).count == 900)
  }
}
