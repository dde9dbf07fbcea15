import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeCommand

@Suite("Commands that record and tidy")
struct WritingCommandTests {
  @Test func `G9: nothing of what rm deletes is in any file of the store when it ends`()
    async throws
  {
    let fruit = try await FruitStore()
    _ = await fruit.run(
      "append", "last", "--kind", "prompt", "--tag", "zqvkxjwm-tag", "zqvkxjwm said")
    let file = fruit.folder.path("zqvkxjwm.txt")
    try Data("some zqvkxjwm bytes".utf8).write(to: URL(filePath: file))
    _ = await fruit.run("attach", "last", file, "--caption", "a zqvkxjwm")
    #expect(await fruit.run("search", "zqvkxjwm").output.contains("zqvkxjwm"))
    #expect(try Self.files(holding: "vkxjwm", in: fruit.path) != "")
    let run = await fruit.run("rm", "last")
    #expect(run.code == .done)
    #expect(!run.error.contains("still"))
    #expect(try Self.files(holding: "vkxjwm", in: fruit.path) == "")
    #expect(await fruit.run("new", "Another").code == .done)
    #expect(try Self.files(holding: "vkxjwm", in: fruit.path) == "")
  }

  /// The names of the files below a folder that hold a text.
  private static func files(holding text: String, in folder: String) throws -> String {
    try ProgramRun("env", "LC_ALL=C", "grep", "-rlaF", "-e", text, folder).output
  }

  @Test func `a conversation can be recorded from a shell script, with who made its image`()
    async throws
  {
    let folder = try TemporaryFolder()
    let environment = ["KEEPSAKE_STORE": folder.path("Chats.keepsake")]
    let png = PNGImage.banana(ripeness: 1, side: 8).data
    let file = folder.path("banana.png")
    try Data(png).write(to: URL(filePath: file))
    func run(_ arguments: String..., input: String = "") async -> CommandRun {
      let run = await CommandRun(list: arguments, input: input, environment: environment)
      #expect(run.code == .done, "\(arguments): \(run.error)")
      return run
    }
    let id = await run("new", "Fruit", "--tag", "food", "--origin", "script").output
      .trimmingCharacters(in: .newlines)
    #expect(UUID(uuidString: id) != nil)
    let prompt = try await run("append", id, "--kind", "prompt", "a banana, please").json()
    #expect(prompt.names == ["position", "id", "labels"])
    #expect(prompt["position"]?.intValue == 0)
    _ = await run(
      "append", "last", "--kind", "toolCalls", "--tool", "Draw", "--call", "c1", #"{"n": 1}"#)
    #expect(await run("attach", "last", "--call", "c1", file).output == "image_1\n")
    let output = try await run(
      "append", "last", "--kind", "toolOutput", "--tool", "Draw", "--call", "c1", "image_1"
    ).json()
    #expect(output["labels"]?[0]?.stringValue == "image_1")
    _ = await run(
      "append", "last", "--kind", "response", "--model", "m", "--tag", "nice", input: "Here!\n")
    #expect(await run("get", "last/image_1").bytes == png)
    let place = try #require(
      try await run("audit", "last/image_1", "--json").json()["attachments"]?[0])
    #expect(place["tool"]?.stringValue == "Draw")
    #expect(place["arguments"]?.stringValue == #"{"n": 1}"#)
    #expect(place["prompt"]?["text"]?.stringValue == "a banana, please")
    #expect(place["fileName"]?.stringValue == "banana.png")
    let answer = try await run("show", "last", "--last", "1", "--json").json()["entries"]?[0]
    #expect(answer?["text"]?.stringValue == "Here!\n")
    #expect(answer?["model"]?.stringValue == "m")
    _ = await run("verify", "--read-data")
  }

  @Test func `entries on lines are added all together, or none of them`() async throws {
    let fruit = try await FruitStore()
    let lines = #"""
      {"kind":"prompt","text":"one\u2028two"}

      {"kind":"response","segments":[{"text":"three"}]}
      """#.replacing(#"\u2028"#, with: "\u{2028}")
    let run = await fruit.run("append", "last", input: lines)
    #expect(run.code == .done, "\(run.error)")
    let stored = try run.output.split(separator: "\n").map { try JSON(validating: String($0)) }
    #expect(stored.map { $0["position"]?.intValue } == [5, 6])
    let broken = [
      (#"{"kind":"prompt","text":"x"}"# + "\n{", "line 2"),
      (#"{"kind":"prompt","text":"x"}"# + "\n" + #"{"kind":"poem"}"#, "Line 2"),
      (#"{"text":"x"}"#, "Line 1"),
    ]
    for (input, place) in broken {
      let run = await fruit.run("append", "last", input: input)
      #expect(run.code == .failed)
      #expect(run.error.contains(place) && run.error.contains("Nothing was appended"))
    }
    #expect(try await fruit.run("ls", "--json").json()[0]?["entries"]?.intValue == 7)
    let nothing = await fruit.run("append", "last")
    #expect(nothing.code == .done)
    #expect(nothing.output.isEmpty)
    let shown = try await fruit.run("show", "last", "--entry", "5", "--json").json()
    #expect(shown["entries"]?[0]?["text"]?.stringValue == "one\u{2028}two")
  }

  @Test func `what show prints of entries can be appended, with what hangs on them`() async throws {
    let fruit = try await FruitStore()
    let entries = try #require(
      try await fruit.run("show", "last", "--json").json()["entries"]?.arrayValue)
    let lines = entries.map { "\($0.text)\n" }.joined()
    let id = await fruit.run("new").output.trimmingCharacters(in: .newlines)
    let run = await fruit.run("append", id, input: lines)
    #expect(run.code == .done, "\(run.error)")
    let copies = try #require(
      try await fruit.run("show", id, "--json").json()["entries"]?.arrayValue)
    #expect(copies.map { $0["text"] } == entries.map { $0["text"] })
    let (old, new) = (entries[3]["attachments"]?[0], copies[3]["attachments"]?[0])
    for name in ["artifact", "mediaType", "caption", "direction", "basis", "callID", "tool"] {
      #expect(old?[name] == new?[name], "\(name)")
    }
    #expect(await fruit.run("get", "\(id)/image_1").bytes == fruit.png)
  }

  @Test func `bytes that the store does not have are named with their files, or nothing is added`()
    async throws
  {
    let fruit = try await FruitStore()
    let entries = try await fruit.run("show", "last", "--json").json()["entries"]
    let line = try #require(entries?[3]?.text)
    let store = fruit.folder.path("Other.keepsake")
    func run(_ arguments: String..., input: String = "") async -> CommandRun {
      await CommandRun(
        list: arguments, input: input, environment: ["KEEPSAKE_STORE": store])
    }
    #expect(await run("new", "other").code == .done)
    let plain = #"{"kind":"prompt","text":"x"}"# + "\n"
    let refused = await run("append", "last", input: plain + line)
    #expect(refused.code == .failed)
    #expect(refused.error.contains("Line 2: It names bytes that the store does not have"))
    #expect(try await run("ls", "--json").json()[0]?["entries"]?.intValue == 0)
    let file = fruit.folder.path("banana.png")
    try Data(fruit.png).write(to: URL(filePath: file))
    let stray = await run("append", "last", "--attach", file, input: plain)
    #expect(stray.code == .failed)
    #expect(stray.error.contains("No entry names the bytes of"))
    let taken = await run("append", "last", "--attach", file, input: plain + line)
    #expect(taken.code == .done, "\(taken.error)")
    #expect(await run("get", "last/image_1").bytes == fruit.png)
  }

  @Test func `an entry is appended with files that hang on it`() async throws {
    let fruit = try await FruitStore()
    let file = fruit.folder.path("my cup.png")
    try Data(fruit.png).write(to: URL(filePath: file))
    let run = await fruit.run(
      "append", "last", "--kind", "prompt", "What is it?", "--attach", file, "--attach", file)
    #expect(run.code == .done, "\(run.error)")
    #expect(try run.json()["labels"]?.arrayValue?.count == 2)
    let entry = try await fruit.run("show", "last", "--last", "1", "--json").json()["entries"]?[0]
    #expect(entry?["attachments"]?[0]?["fileName"]?.stringValue == "my cup.png")
    #expect(entry?["attachments"]?[0]?["direction"]?.stringValue == "given")
    #expect(
      await fruit.run("append", "last", "--kind", "event", "x", "--attach", "/no").code == .failed)
  }

  @Test(arguments: [
    ["append", "last", "text"], ["append", "last", "--model", "m"],
    ["append", "last", "--kind", "toolCalls", "{}"], ["append", "last", "--kind", "poem", "x"],
    ["append"], ["attach", "last"], ["attach", "last", "x", "--call", "a", "--step", "b"],
    ["rename", "last"], ["rm"], ["fork"], ["fork", "last", "--before", "-1"], ["tag"],
    ["new", "a", "b"],
  ])
  func `what is missing or too much is a usage error`(arguments: [String]) async throws {
    let fruit = try await FruitStore()
    let run = await CommandRun(list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
    #expect(run.code == .usage, "\(run.error)")
    #expect(run.error.split(separator: "\n").count == 1)
  }

  @Test func `what a call made hangs on its output, whichever comes first`() async throws {
    let fruit = try await FruitStore()
    let file = fruit.folder.path("x.bin")
    try Data([1, 2, 3]).write(to: URL(filePath: file))
    for (call, comesFirst) in [("call-1", false), ("later", true)] {
      let attached = await fruit.run(
        "attach", "last", "--call", call, "--tool", "Draw", "--label", "made by \(call)", file)
      #expect(attached.output == "made by \(call)\n")
      if comesFirst {
        for kind in ["toolCalls", "toolOutput"] {
          let appended = await fruit.run(
            "append", "last", "--kind", kind, "--tool", "Draw", "--call", call, "{}")
          #expect(appended.code == .done, "\(appended.error)")
        }
      }
      let entries = try await fruit.run("show", "last", "--json").json()["entries"]?.arrayValue
      let output = entries?.last { $0["kind"]?.stringValue == "toolOutput" }
      let labels = output?["attachments"]?.arrayValue?.compactMap { $0["label"]?.stringValue }
      #expect(labels?.last == "made by \(call)")
    }
  }

  @Test func `a call that is not known yet needs its tool's name`() async throws {
    let fruit = try await FruitStore()
    let file = fruit.folder.path("x.bin")
    try Data([1, 2, 3]).write(to: URL(filePath: file))
    let refused = await fruit.run("attach", "last", "--call", "later", file)
    #expect(refused.code == .failed)
    #expect(refused.error.contains("--tool NAME"))
    let kept = await fruit.run(
      "attach", "last", "--call", "later", "--tool", "Draw", "--label", "cup", file)
    #expect(kept.output == "cup\n")
    #expect(await fruit.run("attach", "last", "--step", "resize", file).code == .done)
    #expect(await fruit.run("attach", "last", "--entry", "1", file).code == .done)
    #expect(await fruit.run("attach", "last", "--entry", "99", file).code == .failed)
    #expect(await fruit.run("attach", "last", "/nowhere").code == .failed)
    let made = try await fruit.run("audit", "--tool", "resize", "--json").json()
    #expect(made.arrayValue?.count == 1)
  }

  @Test func `tags and a title are given and taken away`() async throws {
    let fruit = try await FruitStore()
    #expect(await fruit.run("tag", "last", "food", "fruit").output == "food\nfruit\n")
    #expect(await fruit.run("tag", "last", "--remove", "food").output == "fruit\n")
    #expect(await fruit.run("tag", "last", "--read-only").output == "fruit\n")
    #expect(await fruit.run("tag", "last", "x", "--read-only").code != .done)
    #expect(await fruit.run("rename", "last", "Salad").code == .done)
    let session = try await fruit.run("ls", "--json", "--tag", "fruit").json()[0]
    #expect(session?["title"]?.stringValue == "Salad")
    #expect(await fruit.run("rename", "last", "").code == .done)
    #expect(try await fruit.run("ls", "--json").json()[0]?["title"]?.isNull == true)
  }

  @Test func `a fork goes its own way, and both can be deleted`() async throws {
    let fruit = try await FruitStore()
    let id = await fruit.run("fork", "last", "--before", "2", "--title", "Again").output
      .trimmingCharacters(in: .newlines)
    #expect(await fruit.run("append", id, "--kind", "response", "No.").code == .done)
    let shown = try await fruit.run("show", id, "--json").json()
    #expect(shown["entries"]?.arrayValue?.count == 3)
    #expect(
      shown["session"]?["forkOf"]?.stringValue == fruit.session.uuidString.lowercased())
    #expect(await fruit.run("rm", id, "00000000").code == .failed)
    #expect(await fruit.run("show", id).code == .done, "Nothing is deleted when one is unknown.")
    let removed = await fruit.run("rm", id, fruit.session.uuidString, id)
    #expect(removed.code == .done, "\(removed.error)")
    #expect(removed.error.contains("1 artifact (\(Words.size(Int64(fruit.png.count))))"))
    #expect(try await fruit.run("ls", "--json").json().arrayValue?.isEmpty == true)
    #expect(await fruit.run("verify", "--read-data").code == .done)
  }
}
