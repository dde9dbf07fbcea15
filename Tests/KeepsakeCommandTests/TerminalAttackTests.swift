import KeepsakeFiles
import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The attacks on a command and its terminal that we know of, each by its number.
@Suite("Attacks on the command")
struct TerminalAttackTests {
  /// What would steer a terminal, or not be seen there.
  private static func steering(_ text: String) -> [Unicode.Scalar] {
    var marks = 0
    return text.unicodeScalars.filter { scalar in
      marks = 0x300...0x36F ~= scalar.value ? marks + 1 : 0
      return switch scalar.value {
      case 0x0A: false
      case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F,
        0xFEFF, 0xE_0000...0xE_0FFF:
        true
      default: marks > 8
      }
    }
  }

  /// What is run of each command; none may be missing.
  private static func runs(_ store: HostileStore) -> [String: [[String]]] {
    let id = store.session.uuidString
    let text = HostileStore.text
    let evil = "last/evil\(text)"
    return [
      "demo": [[store.folder.path("Demo\(text.prefix(4)).keepsake")]],
      "import": [
        [store.file], ["/no\(text)"], ["--json", store.file], ["--format", text, store.file],
      ],
      "watch": [["--status"], ["--status", "--json"], ["/no\(text)"], ["--install", "--status"]],
      "ls": [
        [], ["--json"], ["--jsonl"], ["--tag", text], ["--since", text], ["--after", text],
      ],
      "show": [
        ["last"], ["last", "--tools"], ["last", "--json"], ["last", "--raw"], [text],
        ["last", "--images", "always"],
      ],
      "search": [["please"], ["please", "--json"], ["\"\(text)"], [text], ["--in", text, "x"]],
      "mcp": [
        [], ["/no\(text)"], ["--install", text], ["--install", "cursor", "/no\(text)"],
      ],
      "artifacts": [[], ["--json"], ["--jsonl"]],
      "get": [
        [evil], ["last/note"], ["last/\(text)"], [text], [evil, "-o", store.folder.url.path],
      ],
      "open": [[evil], [text]],
      "audit": [
        [evil], [evil, "--json"], ["--tool", text], ["--tool", text, "--json"],
        ["--tool", text, "--csv"], [id], [id, "--json"], [id, "--graph", "dot"],
        [id, "--graph", "mermaid"], [store.file], [text],
      ],
      "export": [["last"], [text], ["last", "-o", store.folder.path("out\(text)")]],
      "rescue": [
        ["last"], [text], ["/no\(text)"], [store.file], [store.file, "--json"],
        [store.claude], [store.claude, "--json"], [store.claude, "--limit", text],
        [store.claude, "--dry-run", "-o", store.folder.url.path],
      ],
      // What does not start: a server that runs goes on until Ctrl-C.
      "serve": [
        ["--listen", text], ["--socket", "/no\(text)/s"], ["--token-file", "/no\(text)/token"],
        ["--host", text], ["--port", text], ["--socket", text, "--port", "1"],
      ],
      "new": [[text]],
      "append": [
        [id, "--kind", "prompt", text], [id, "--kind", text], [id, "--attach", store.file],
      ],
      "attach": [[id, store.file], [id, "/no\(text)"], [id, store.file, "--label", "x\(text)"]],
      "session-store": [[]],
      "fork": [[id], [id, "--before", text]],
      "tag": [[id], [id, text]],
      "rename": [[id, text]],
      "rm": [[text]],
      "sweep": [["--dry-run"], ["--json"], ["--older-than", text]],
      "compact": [[], ["--json"]],
      "backup": [[store.folder.path("Copy\(text.prefix(4))")], [store.file], ["/no\(text)"]],
      "verify": [[], ["--json"], ["/no\(text)"], ["--heads", "/no\(text)"]],
      "hub": [
        ["init", store.folder.path("Hub\(text.prefix(4))")], ["init", "s3://\(text)"], ["status"],
        ["status", "--json"], [text],
        ["check", text], ["check", "--json"], ["sweep", "--dry-run"],
        ["sweep", "--older-than", text], ["export", text],
        ["export", "-o", store.folder.path("x\(text.prefix(4)).tar")],
      ],
      "join": [[store.folder.path("Hub\(text.prefix(4))")], [text], ["postgresql://\(text)"]],
      "sync": [[], ["--json"]],
      "leave": [[]],
      "log": [[], ["--json"]],
      "stats": [
        [], ["--json"], ["--by", "model"], ["--by", "session"], ["--by", "day", "--json"],
        ["--by", text], ["--by", "tool", "--since", text],
      ],
      "doctor": [[], ["--json"]],
      "formats": [[], ["--json"]],
      "completions": [["bash"], ["zsh"], ["fish"], [text]],
      "man": [[], ["show"], [text], ["-o", "/no\(text)"], ["--all", "-o", "/no\(text)"]],
    ]
  }

  @Test func `H1: nothing that anybody named steers the terminal, in any command's output`()
    async throws
  {
    let store = try await HostileStore()
    let runs = Self.runs(store)
    #expect(runs.keys.sorted() == Program.commands.map { $0.declaration.name }.sorted())
    for command in Program.commands {
      for arguments in runs[command.declaration.name] ?? [] {
        let run = await store.run(
          [command.declaration.name] + arguments, width: 80,
          input: #"{"kind":"prompt","text":"x"}"# + HostileStore.text)
        let printed = run.output + run.error
        #expect(
          Self.steering(printed).isEmpty,
          "\(command.declaration.name) \(arguments): \(Self.steering(printed))")
        #expect(!printed.isEmpty || run.code == .done, "\(command.declaration.name) \(arguments)")
      }
    }
    for arguments in [
      [HostileStore.text], ["--\(HostileStore.text)"], ["help", HostileStore.text],
    ] {
      let run = await store.run(arguments, width: 80)
      #expect(run.code == .usage)
      #expect(Self.steering(run.error).isEmpty, "\(arguments)")
    }
  }

  @Test func `H1: in colours, nothing but our own styles is set`() async throws {
    let store = try await HostileStore()
    for arguments in [
      ["ls"], ["show", "last"], ["show", "last", "--tools"], ["search", "please"], ["artifacts"],
      ["audit", store.session.uuidString], ["audit", "--tool", HostileStore.text], ["log"],
    ] {
      let run = await store.run(arguments, width: 80, isStyled: true)
      #expect(run.code == .done, "\(run.error)")
      // A style is ESC, '[', digits and semicolons, 'm'.
      let rest = run.output.replacing(/\u{1B}\[[0-9;]*m/, with: "")
      #expect(Self.steering(rest).isEmpty, "\(arguments): \(Self.steering(rest))")
    }
  }

  @Test func `H1: what programs read is whole`() async throws {
    let store = try await HostileStore()
    let piped = await store.run(["show", "last", "--json"])
    let shown = await store.run(["show", "last", "--json"], width: 80)
    for run in [piped, shown] {
      #expect(try run.json()["session"]?["title"]?.stringValue == HostileStore.text)
    }
    let note = await store.run(["get", "last/note"])
    #expect(note.bytes == Array(HostileStore.text.utf8))
  }

  @Test func `H2: a spreadsheet runs no cell, and every cell is read as it was`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Store(at: URL(filePath: folder.path("Chats.keepsake")))
    let session = try await store.createSession(title: "t")
    let labels = [
      "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "|cmd' /C calc'!A1", "a,b", "say \"hi\"", "x;y",
      "＝1", "plain",
    ]
    let tool = "=cmd|' /C calc'!A0"
    for label in labels {
      var new = Entry.NewAttachment(.bytes([1]), label: label, madeBy: .step(tool))
      new.mediaType = "=x/y"
      try await session.attach(new)
    }
    await store.close()
    let environment = ["KEEPSAKE_STORE": folder.path("Chats.keepsake")]
    let run = await CommandRun(list: ["audit", "--tool", tool, "--csv"], environment: environment)
    #expect(run.code == .done, "\(run.error)")
    let lines = run.output.components(separatedBy: "\r\n").dropLast()
    #expect(lines.count == labels.count + 1)
    #expect(lines.first?.hasPrefix("artifact,mediaType,size,session,position,label,tool,") == true)
    let expected = [
      "'=1+1", "'+1", "'-1", "'@SUM(A1)", "\"'\tx\"", "|cmd' /C calc'!A1", "\"a,b\"",
      "\"say \"\"hi\"\"\"", "\"x;y\"", "'＝1", "plain",
    ]
    for (line, cell) in zip(lines.dropFirst().reversed(), expected) {
      #expect(line.contains(",\(cell),'\(tool),"), "\(line)")
      #expect(line.contains(",'=x/y,"))
    }
    let json = await CommandRun(
      list: ["audit", "--tool", tool, "--json"], environment: environment)
    #expect(
      try json.json().arrayValue?.compactMap { $0["label"]?.stringValue } == labels.reversed())
    #expect(CSVLine(["a\r\nb", "", "-"]).text == "\"a\r\nb\",,'-")
    let alone = await CommandRun(list: ["audit", "last", "--csv"], environment: environment)
    #expect(alone.code == .usage)
  }

  @Test func `H3: names are names, whatever they begin with, and no shell reads them`() async throws
  {
    let fruit = try await FruitStore()
    for name in ["-rf", "--json", "a\nb", "*", "$(touch ran)", "@file", "; touch ran", "'\""] {
      let file = fruit.folder.path(name)
      try Data("not a chat".utf8).write(to: URL(filePath: file))
      let kept = await fruit.run("attach", "last", "--", file)
      #expect(kept.code == .done, "\(kept.error)")
    }
    #expect(await fruit.run("show", "--", "-x").code == .failed)
    #expect(await fruit.run("show", "-x").code == .usage)
    #expect(await fruit.run("rename", "last", "--", "--json").code == .done)
    #expect(try await fruit.run("ls", "--json").json()[0]?["title"]?.stringValue == "--json")
    #expect(await fruit.run("import", "@/etc/passwd").error.contains("'@/etc/passwd'"))
    let long = String(repeating: "x", count: 10 << 20)
    #expect(await fruit.run("append", "last", "--kind", "event", long).code == .done)
    #expect(await fruit.run("show", long).code == .failed)
    #expect(!FileManager.default.fileExists(atPath: "ran"))
  }

  @Test func `H3: no variable makes it run something`() async throws {
    let fruit = try await FruitStore()
    let ran = fruit.folder.path("ran")
    let names = ["PAGER", "EDITOR", "VISUAL", "LESSOPEN", "BROWSER", "SHELL", "KEEPSAKE_PAGER"]
    let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "touch '\(ran)'") })
    for arguments in [["show", "last"], ["ls"], ["help", "show"]] {
      let run = try KeepsakeProcess(
        KeepsakeProcess.executable, arguments,
        environment: environment.merging(["KEEPSAKE_STORE": fruit.path]) { $1 })
      #expect(try await run.end() == 0)
    }
    #expect(!FileManager.default.fileExists(atPath: ran))
  }

  @Test
  func `H4: what is there stays, unless asked, and a link or a device is never written through`()
    async throws
  {
    let fruit = try await FruitStore()
    let mine = fruit.folder.path("mine")
    try Data("mine".utf8).write(to: URL(filePath: mine))
    let link = fruit.folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: mine)
    let commands = [["get", "last/image_1"], ["export", "last"]]
    for command in commands {
      for path in [mine, link, "/dev/null", "/dev/full"] {
        let run = await CommandRun(
          list: command + ["-o", path], environment: ["KEEPSAKE_STORE": fruit.path])
        #expect(run.code == .failed, "\(command) \(path)")
      }
      for path in ["/dev/null", "/dev/full"] {
        let forced = await CommandRun(
          list: command + ["-o", path, "--force"], environment: ["KEEPSAKE_STORE": fruit.path])
        #expect(forced.code == .failed)
        #expect(
          ["a device or a pipe", "is no file"].contains { forced.error.contains($0) },
          "\(forced.error)")
      }
      let forced = await CommandRun(
        list: command + ["-o", link, "--force"], environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(forced.code == .failed)
      #expect(FileManager.default.contents(atPath: mine) == Data("mine".utf8))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == mine)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: fruit.folder.url.path).sorted()
        == ["Chats.keepsake", "link", "mine"])
  }

  #if os(Linux)
    @Test func `H4: a full disk at the other end is a failure, and a closed pipe is none`()
      async throws
    {
      let fruit = try await FruitStore()
      let command = "'\(KeepsakeProcess.executable.path)' --store '\(fruit.path)' show last"
      let full = try KeepsakeProcess(
        URL(filePath: "/bin/bash"), ["-c", "\(command) > /dev/full"], environment: [:])
      #expect(try await full.end() == 1)
      #expect(try full.error.contains("standard output"))
      let piped = try KeepsakeProcess(
        URL(filePath: "/bin/bash"), ["-c", "\(command) | true; exit ${PIPESTATUS[0]}"],
        environment: ["PATH": "/usr/bin:/bin"])
      #expect(try await piped.end() == 0)
      #expect(try piped.error.isEmpty)
    }
  #endif

  @Test func `H5: a secret is shown where the conversation is asked for, and nowhere else`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("Chats.keepsake")
    let secret = "sk-canary-90210"
    let store = try await Store(at: URL(filePath: path))
    let session = try await store.createSession(title: "Keys")
    try await session.append(.prompt("Hello there."))
    let call = Entry.ToolCall(tool: "Login", arguments: "{\"key\": \"\(secret)\"}")
    try await session.append(.toolCalls([call]))
    try await session.append(.toolOutput(for: call, text: secret))
    try await session.attach(.init(.data(Data(secret.utf8)), madeBy: .toolCall(call)))
    await store.close()
    let broken = folder.path("broken.json")
    try Data("[{\"role\": \"user\", \"key\": \"\(secret)\", }".utf8).write(
      to: URL(filePath: broken))
    let environment = ["KEEPSAKE_STORE": path, "OPENAI_API_KEY": secret]
    let quiet =
      [["--help"], ["ls"], ["artifacts"], ["stats"], ["doctor"], ["log"], ["verify"], ["frob"]]
      + [["import", broken], ["import", "--format", "apple", broken], ["show", "none"]]
      + [
        ["append", "last"], ["get", "last/nothing"], ["audit", "nothing"], ["search", "\"open"],
      ]
      + [["tag", "last"], ["fork", "last", "--before", "99"], ["audit", "--tool", "Login"]]
      + ["bash", "zsh", "fish"].map { ["completions", $0] }
      + Program.commands.map { [$0.declaration.name, "--help"] }
    for arguments in quiet {
      let run = await CommandRun(
        list: arguments, input: "{\"kind\": \"prompt\", \"text\": \"\(secret)\" oops",
        environment: environment)
      #expect(!(run.output + run.error).contains(secret), "\(arguments): \(run.error)")
    }
    let shown = await CommandRun(list: ["show", "last"], environment: environment)
    #expect(shown.output.contains(secret))
  }

  @Test func `H6: input that is no UTF-8 is told, and LANG, TERM and no columns change nothing`()
    async throws
  {
    let fruit = try await FruitStore()
    let bash = URL(filePath: "/bin/bash")
    let keepsake = "'\(KeepsakeProcess.executable.path)' --store '\(fruit.path)'"
    let odd = try KeepsakeProcess(
      bash, ["-c", "printf '\\xff\\xfe' | \(keepsake) append last --kind prompt"], environment: [:])
    #expect(try await odd.end() == 1)
    #expect(try odd.error.contains("it is not UTF-8"))
    let lines = try KeepsakeProcess(
      bash, ["-c", "printf '{\"kind\":\"prompt\",\"text\":\"\\xff\"}' | \(keepsake) append last"],
      environment: [:])
    #expect(try await lines.end() == 1)
    #expect(try lines.error.contains("Nothing was appended"))
    try await fruit.change { try await $0.session(fruit.session).append(.event("香蕉 ü")) }
    for environment in [
      ["LANG": "C", "LC_ALL": "C"], ["COLUMNS": "0", "TERM": ""], ["TERM": "dumb"],
    ] {
      let run = try KeepsakeProcess(
        "show", "last", store: fruit.path, environment: environment)
      #expect(try await run.end() == 0)
      #expect(try run.output.contains("香蕉 ü"))
    }
    let narrow = Terminal.standard(environment: ["COLUMNS": "0", "TERM": "xterm"])
    #expect(narrow.width.map { $0 >= 40 } ?? true)
  }

  @Test func `H6: a home that nothing can be made in is told, with what to do`() async throws {
    let folder = try TemporaryFolder()
    try Data().write(to: URL(filePath: folder.path("home")))
    for home in ["/proc", folder.path("home")] {
      let run = await CommandRun(list: ["new", "x"], environment: ["HOME": home])
      #expect(run.code == .couldNotRun, "\(run.error)")
      #expect(run.error.contains("Name a store with --store PATH"), "\(run.error)")
      #expect(run.error.split(separator: "\n").count == 1)
    }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `H6: root makes no files in a user's store, and may read it`() async throws {
    let fruit = try await FruitStore()
    func give(_ path: String, to owner: uid_t) { #expect(chown(path, owner, owner) == 0) }
    let names = try FileManager.default.subpathsOfDirectory(atPath: fruit.path)
    for path in [fruit.path] + names.map({ "\(fruit.path)/\($0)" }) { give(path, to: 4242) }
    for arguments in [
      ["append", "last", "--kind", "event", "x"], ["rename", "last", "x"], ["new"], ["rm", "last"],
      ["import", Fixtures.path("apple/os26.json")], ["open", "last/image_1"],
    ] {
      let run = await CommandRun(
        list: arguments,
        environment: ["KEEPSAKE_STORE": fruit.path, "DISPLAY": ":0", "PATH": "/nowhere"])
      #expect(run.code != .done, "\(arguments)")
      #expect(
        run.error.contains("it belongs to the user with number 4242") || arguments[0] == "open",
        "\(run.error)")
    }
    for arguments in [["ls"], ["show", "last"], ["search", "banana"], ["verify"]] {
      let run = await CommandRun(list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done, "\(run.error)")
    }
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: fruit.path).sorted() == names.sorted())
    for path in [fruit.path] + names.map({ "\(fruit.path)/\($0)" }) {
      var status = stat()
      #expect(lstat(path, &status) == 0 && status.st_uid == 4242, "\(path)")
    }
  }
}
