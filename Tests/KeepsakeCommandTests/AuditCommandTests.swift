import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake audit")
struct AuditCommandTests {
  @Test func `an artifact leads back to its tool, the arguments, the prompt and the session`()
    async throws
  {
    let fruit = try await FruitStore()
    for name in ["last/image_1", fruit.image.description, Words.short(fruit.image)] {
      let run = await fruit.run("audit", name)
      #expect(run.code == .done, "\(run.error)")
      for text in [
        fruit.image.description, "image_1  entry 3, turn 1",
        #"  ← GenerateImage {"content": "banana", "ripe": true}"#,
        "    explicit: The app attached it as made by this call.", "    call call-1",
        "  ← “\(FruitStore.prompt)” (entry 1)",
        "  ← session “Fruit” \(fruit.session.uuidString.lowercased())", "change ",
      ] { #expect(run.output.contains(text), "\(text)") }
    }
  }

  @Test func `its JSON has the promised shape`() async throws {
    let fruit = try await FruitStore()
    let json = try await fruit.run("audit", "last/image_1", "--json").json()
    #expect(
      json.names == ["artifact", "size", "sniffedType", "attachments", "madeFrom", "madeInto"])
    let place = try #require(json["attachments"]?[0])
    for name in [
      "recording", "created", "recordedBy", "session", "title", "turn", "lane", "position",
      "entry", "mediaType", "fileName", "label", "caption", "direction", "maker", "basis",
      "basisReason", "tool", "callID", "arguments", "inputs", "prompt", "state", "entryDigest",
      "head", "chain",
    ] { #expect(place[name] != nil, "\(name)") }
    #expect(place["recordedBy"]?.names == ["kind", "file", "digest"])
    #expect(place["maker"]?.names == ["kind", "name", "version", "model"])
    #expect(place["prompt"]?["text"]?.stringValue == FruitStore.prompt)
    #expect(place["tool"]?.stringValue == "GenerateImage")
  }

  @Test func `a file leads to the calls that name it, and to the commit that has it first`()
    async throws
  {
    let store = try await WorkStore()
    let commit = try store.commit("Add the app")
    let file = store.folder.path("app.py")
    let found = await store.run("audit", file, "--git")
    #expect(found.code == .done, "\(found.error)")
    for text in [
      "not in the store", "Write wrote \(file) (entry 1)",
      "inferred: The file holds what the session's calls say that they wrote.",
      "← “Make an app” (entry 0)", "\(commit.prefix(12)) Add the app",
    ] { #expect(found.output.contains(text), "\(text)") }
    let json = try await store.run("audit", file, "--git", "--json").json()
    #expect(json["commit"]?["id"]?.stringValue == commit)
    #expect(json["calls"]?[0]?["basis"]?.stringValue == "inferred")

    try Data("other".utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: file)
    let changed = await store.run("audit", file, "--git")
    #expect(changed.output.contains("unknown: Nothing shows that the file still is what"))
    #expect(changed.output.contains("No commit has its bytes."))
    try FileManager.default.removeItem(atPath: file)
    let gone = await store.run("audit", file)
    #expect(gone.code == .done, "\(gone.error)")
    #expect(gone.output.contains("is not there any more"))
    let never = await store.run("audit", store.folder.path("never.py"))
    #expect(never.code == .failed)
  }

  @Test func `a file outside of any repository has no commit to ask for`() async throws {
    let store = try await WorkStore()
    let run = await store.run("audit", store.folder.path("app.py"), "--git")
    #expect(run.code == .failed)
    #expect(run.error.contains("it does not lie in a Git repository"))
    let both = await store.run("audit", "--git", "--tool", "Write")
    #expect(both.code == .usage)
  }

  @Test func `a session lists the files that its calls name`() async throws {
    let store = try await WorkStore()
    let run = await store.run("audit", "last")
    #expect(run.output.contains("Files that calls name"))
    #expect(run.output.contains("Write wrote \(store.folder.path("app.py")) (entry 1)"))
  }

  @Test func `a file is known by its bytes, and one that is not names those of its pixels`()
    async throws
  {
    let fruit = try await FruitStore()
    let known = fruit.folder.path("renamed.bin")
    try Data(fruit.png).write(to: URL(filePath: known))
    let found = await fruit.run("audit", known)
    #expect(found.code == .done, "\(found.error)")
    #expect(found.output.contains("← GenerateImage"))

    let stranger = fruit.folder.path("green.png")
    try Data(PNGImage.banana(ripeness: 0, side: 16).data).write(to: URL(filePath: stranger))
    let unknown = await fruit.run("audit", stranger)
    #expect(unknown.code == .failed)
    #expect(unknown.output.isEmpty)
    #expect(unknown.error.contains("is not in the store"))
    #expect(unknown.error.contains("As many pixels have: \(Words.short(fruit.image))"))
    #expect(await fruit.run("audit", fruit.folder.url.path).code == .failed)
  }

  @Test func `what a tool made is a list, and is read by pages`() async throws {
    let fruit = try await FruitStore()
    let table = await fruit.run("audit", "--tool", "GenerateImage")
    #expect(table.output.contains("explicit"))
    let product = try #require(
      try await fruit.run("audit", "--tool", "GenerateImage", "--json").json()[0])
    for name in [
      "artifact", "mediaType", "size", "session", "position", "callID", "basis", "state",
      "created",
    ] { #expect(product[name] != nil, "\(name)") }
    let none = await fruit.run("audit", "--tool", "Other")
    #expect(none.code == .done)
    #expect(none.output.isEmpty)
  }

  @Test func `a session shows what it made, and which calls nothing answered`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      try await store.session(fruit.session).append(
        .toolCalls([.init(id: "c2", tool: "Peel", arguments: "{}")]))
    }
    for name in ["last", Words.short(fruit.session)] {
      let run = await fruit.run("audit", name)
      #expect(run.code == .done, "\(run.error)")
      #expect(run.output.contains("image_1  entry 3"))
      #expect(run.output.contains("no output  Peel {} (entry 5)"))
    }
    let json = try await fruit.run("audit", "last", "--json").json()
    #expect(json["callsWithoutOutput"]?[0]?["tool"]?.stringValue == "Peel")
    #expect(json["head"]?.stringValue?.count == 64)
  }

  @Test func `what is nothing, or two things, is told`() async throws {
    let fruit = try await FruitStore()
    #expect(await fruit.run("audit").code == .usage)
    #expect(await fruit.run("audit", "last", "--tool", "x").code == .usage)
    let nothing = await fruit.run("audit", "nothing")
    #expect(nothing.code == .failed)
    #expect(nothing.error.contains("There is no artifact, file or session 'nothing'"))
    let digits = String(fruit.image.description.dropFirst(7).prefix(8))
    let id = try #require(UUID(uuidString: "\(digits)-0000-4000-8000-000000000000"))
    try await fruit.change { store in _ = try await store.createSession(id: id) }
    #expect(await fruit.run("audit", digits).error.contains("begins the id of a session and"))
    #expect(await fruit.run("audit", "sha256:\(digits)").code == .done)
  }

  @Test func `it fits into the terminal, and does not steer it`() async throws {
    let fruit = try await FruitStore()
    let hostile = "\u{1B}[2J\u{9B}\u{202E}" + String(repeating: "long ", count: 60)
    try await fruit.change { store in
      let session = try await store.createSession(title: hostile)
      try await session.append(.prompt(hostile))
      let call = Entry.ToolCall(id: hostile, tool: hostile, arguments: hostile)
      try await session.append(.toolCalls([call]))
      try await session.attach(Data([1, 2]), madeBy: call, caption: hostile)
    }
    for arguments in [["audit", "last"], ["audit", "last/file_1"]] {
      let run = await CommandRun(
        list: arguments, width: 60, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done, "\(run.error)")
      for line in run.output.split(separator: "\n") {
        #expect(line.hasPrefix("sha256:") || String(line).columns <= 60, "\(line)")
      }
      for scalar in ["\u{1B}", "\u{9B}", "\u{202E}"] as [Unicode.Scalar] {
        #expect(!run.output.unicodeScalars.contains(scalar))
      }
    }
  }
}
