import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake show")
struct ShowCommandTests {
  @Test func `a conversation reads from the top, with a line for its call and one for its image`()
    async throws
  {
    let fruit = try await FruitStore()
    for name in ["last", Words.short(fruit.session), fruit.session.uuidString] {
      let run = await fruit.run("show", name)
      #expect(run.code == .done, "\(run.error)")
      #expect(run.output.hasPrefix("Fruit\n"))
      for text in [
        "   1  prompt", "      a ripe banana, please\n",
        #"   2  → GenerateImage {"content": "banana", "ripe": true}"#,
        #"   3  ← GenerateImage {"image": "image_1"}"#,
        "      ▣ image_1  image/png, 16×16, ", "painter-1",
      ] { #expect(run.output.contains(text), "\(text)") }
    }
  }

  @Test func `a part of it can be asked for`() async throws {
    let fruit = try await FruitStore()
    let last = await fruit.run("show", "last", "--last", "1")
    #expect(last.output.contains("Here is your banana"))
    #expect(!last.output.contains(FruitStore.prompt))
    let one = try await fruit.run("show", "last", "--entry", "1", "--json").json()
    #expect(one["entries"]?.arrayValue?.count == 1)
    #expect(one["entries"]?[0]?["text"]?.stringValue == FruitStore.prompt)
    #expect(await fruit.run("show", "last", "--entry", "5").code == .failed)
    #expect(await fruit.run("show", "last", "--last", "1", "--entry", "1").code == .usage)
    #expect(await fruit.run("show", "last", "--last", "\(Int.max)").code == .done)
  }

  @Test func `who went back is shown to where, and all that was taken back with it`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.createSession(title: "Twice")
      try await session.append([
        .prompt("one"), .response("1"), .goingBack(to: -1), .prompt("two"), .response("2"),
        .goingBack(to: 3), .response("3"),
      ])
    }
    let run = await fruit.run("show", "last")
    #expect(run.code == .done, "\(run.error)")
    for text in ["      one\n", "      2\n", "goes on from the beginning", "goes on after entry 3"]
    {
      #expect(run.output.contains(text), "\(run.output)")
    }
    let entries = try await fruit.run("show", "last", "--json").json()["entries"]?.arrayValue
    #expect(
      entries?.map { $0["continuesAfter"]?.intValue } == [nil, nil, -1, nil, nil, 3, nil])
  }

  @Test func `its JSON has the promised shape, and reads back as the entries`() async throws {
    let fruit = try await FruitStore()
    let json = try await fruit.run("show", "last", "--json").json()
    #expect(json.names == ["session", "entries"])
    #expect(json["session"]?["title"]?.stringValue == FruitStore.title)
    let entries = try #require(json["entries"]?.arrayValue)
    #expect(entries.count == 5)
    #expect(entries[2]["toolCalls"]?[0]?.names == ["id", "tool", "arguments"])
    let attachment = try #require(entries[3]["attachments"]?[0])
    for name in [
      "artifact", "mediaType", "fileName", "label", "caption", "size", "width", "height",
      "direction", "basis", "callID", "tool", "state",
    ] { #expect(attachment[name] != nil, "\(name)") }
    try await fruit.change { store in
      let stored = try await store.session(fruit.session).entries.all()
      #expect(try entries.map(Entry.init(json:)) == stored)
    }
  }

  @Test func `what it says does not steer the terminal, and JSON still has it all`() async throws {
    let fruit = try await FruitStore()
    let hostile =
      "\u{1B}[2J\u{1B}]0;t\u{7}\u{1B}]8;;http://x\u{1B}\\\u{1B}]52;c;eA==\u{7}\u{9B}6n\u{9D}a\rb\u{8}\u{202E}c\u{7F}"
    try await fruit.change { store in
      let session = try await store.createSession(title: hostile, tags: [hostile])
      var prompt = Entry.prompt("one\r\ntwo \(hostile)")
      prompt.author = hostile
      try await session.append(
        prompt, attaching: [.init(.bytes([1, 2, 3]), fileName: hostile, caption: hostile)])
      let call = Entry.ToolCall(tool: hostile, arguments: hostile)
      try await session.append(.toolCalls([call]))
      try await session.append(.toolOutput(for: call, text: hostile))
      try await session.append(.event(hostile))
    }
    for arguments in [["show", "last"], ["show", "last", "--tools"], ["show", "last", "--json"]] {
      let run = await CommandRun(
        list: arguments, width: 80, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done, "\(run.error)")
      for scalar in run.output.unicodeScalars {
        let isPlain = scalar == "\n" || scalar.value >= 0x20 && !(0x7F..<0xA0 ~= scalar.value)
        #expect(isPlain && scalar != "\u{202E}", "U+\(String(scalar.value, radix: 16))")
      }
      if arguments.contains("--json") {
        #expect(try run.json()["session"]?["title"]?.stringValue == hostile)
      }
    }
    #expect(await fruit.run("show", "last").output.contains("      one\n      two ␛[2J"))
  }

  @Test func `on a terminal it is folded to its width, between words`() async throws {
    let fruit = try await FruitStore()
    let words = Array(repeating: "banana", count: 60).joined(separator: " ")
    try await fruit.change { store in
      try await store.session(fruit.session).append(
        .response(words + "\n" + String(repeating: "香", count: 100)))
    }
    let run = await fruit.run("show", "last", width: 50)
    for line in run.output.split(separator: "\n") { #expect(String(line).columns <= 50, "\(line)") }
    #expect(!run.output.contains("banan\n"))
    #expect(await fruit.run("show", "last").output.contains(words))
  }

  @Test func `a session that is not there, or not the only one, is told`() async throws {
    let fruit = try await FruitStore()
    let none = await fruit.run("show", "00000000")
    #expect(none.code == .failed)
    #expect(none.error.contains("No session's id begins with '00000000'"))
    #expect(await fruit.run("show", "xyz").code == .failed)
    #expect(await fruit.run("show").error.contains("'show' needs SESSION."))
    let empty = try TemporaryFolder()
    let store = try await Store(at: URL(filePath: empty.path("E.keepsake")))
    await store.close()
    let last = await CommandRun("--store", empty.path("E.keepsake"), "show", "last")
    #expect(last.code == .failed)
    #expect(last.error.contains("the store is empty"))
  }

  @Test func `a person reads times by their own clock, and programs in UTC`() async throws {
    let fruit = try await FruitStore()
    let id = await fruit.run("new", "Times").output.trimmingCharacters(in: .newlines)
    try await fruit.change { store in
      let session = try await store.session(matching: id)
      var entry = Entry.prompt("now")
      entry.created = Date(timeIntervalSince1970: 1_790_000_000)
      try await session.append(entry)
    }
    let environment = ["KEEPSAKE_STORE": fruit.path]
    func shown(_ ahead: Int?) async -> String {
      var secondsAhead: (@Sendable (Int64) -> Int)?
      if let ahead { secondsAhead = { _ in ahead } }
      let run = await CommandRun(
        list: ["show", id], width: ahead == nil ? nil : 80, environment: environment,
        secondsAhead: secondsAhead)
      return run.output
    }
    #expect(await shown(nil).contains("2026-09-21 14:13 UTC"))
    #expect(await shown(0).contains("2026-09-21 14:13 UTC"))
    #expect(await shown(20_700).contains("2026-09-21 19:58\n"))
    #expect(await shown(-54_000).contains("2026-09-20 23:13\n"))
    let json = try await fruit.run("show", id, "--json").json()
    #expect(json["entries"]?[0]?["created"]?.stringValue == "2026-09-21T14:13:20Z")
    #expect(Words.time(Date(microseconds: .max)).hasSuffix(" UTC"))
  }
}
