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

/// What is named to be taken in or written over, and must be neither.
@Suite("Ways in and out of a store")
struct WaysInAndOutTests {
  private static let own = ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.lock"]

  @Test func `no command takes in a file of the store, beside a process that writes to it`()
    async throws
  {
    let fruit = try await FruitStore()
    let store = try await Store(at: URL(filePath: fruit.path))
    let before = try await store.session(fruit.session).count()
    let writer = try KeepsakeProcess(
      URL(filePath: "/bin/bash"),
      [
        "-c",
        "for n in $(seq 25); do '\(KeepsakeProcess.executable.path)' append \(fruit.session) --kind event $n || exit 1; done",
      ], environment: ["KEEPSAKE_STORE": fruit.path, "PATH": "/usr/bin:/bin"])
    let link = fruit.folder.path("link")
    let second = fruit.folder.path("second")
    for name in Self.own {
      let file = "\(fruit.path)/\(name)"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
      // A second name of the database itself would keep the writer from opening it.
      let hasSecond = name == "store.sqlite-shm"
      if hasSecond { try FileManager.default.linkItem(atPath: file, toPath: second) }
      for path in [file, link] + (hasSecond ? [second] : []) {
        for arguments in [
          ["attach", "last", path], ["append", "last", "--kind", "event", "x", "--attach", path],
          ["append", "last", "--attach", path], ["import", path], ["audit", path],
          ["verify", fruit.path, "--heads", path],
        ] {
          let run = await CommandRun(
            list: arguments, input: #"{"kind":"prompt","text":"x"}"#,
            environment: ["KEEPSAKE_STORE": fruit.path])
          #expect(run.code != .done, "\(arguments)")
          #expect(
            (run.output + run.error).contains("a file of the store at"),
            "\(arguments): \(run.output)\(run.error)")
        }
      }
      try FileManager.default.removeItem(atPath: link)
      if hasSecond { try FileManager.default.removeItem(atPath: second) }
    }
    let code = try await writer.end()
    let said = try writer.error
    #expect(code == 0, "\(said)")
    #expect(try await store.session(fruit.session).count() == before + 25)
    #expect(try await store.verify(.init(database: .full, readData: true)).isSound)
    await store.close()
    #expect(await fruit.run("verify", "--full").code == .done)
  }

  @Test func `a file beside an imported one is none of a store's, whatever the import says`()
    async throws
  {
    let fruit = try await FruitStore()
    let file = fruit.folder.path("chats.json")
    #expect(
      await fruit.run("export", "last", "--format", "json", "--artifacts", "files", "-o", file).code
        == .done)
    let beside = try #require(
      try FileManager.default.contentsOfDirectory(atPath: fruit.folder.path("chats.artifacts"))
        .first)
    let index = "Chats.keepsake/store.sqlite-shm"
    let text = try String(contentsOfFile: file, encoding: .utf8)
      .replacing("chats.artifacts/\(beside)", with: index)
      .replacing("\"size\":\(fruit.png.count)", with: "\"size\":32768")
    #expect(text.contains(index))
    try Data(text.utf8).write(to: URL(filePath: file))
    let store = try await Store(at: URL(filePath: fruit.path))
    _ = try await store.sessions()
    let other = fruit.folder.path("Other.keepsake")
    let run = await CommandRun("import", "--store", other, file)
    #expect(run.code == .failed)
    #expect(
      (run.output + run.error).contains("a file of the store at"), "\(run.output)\(run.error)")
    await store.close()
  }

  @Test func `no command writes into a store's folder, not even when it is asked to`() async throws
  {
    let fruit = try await FruitStore()
    let linked = fruit.folder.path("linked")
    try FileManager.default.createSymbolicLink(
      atPath: linked, withDestinationPath: fruit.path + "/artifacts")
    func tree() throws -> [String: Data] {
      var tree: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: fruit.path) {
        tree[name] = FileManager.default.contents(atPath: "\(fruit.path)/\(name)") ?? Data()
      }
      return tree
    }
    let before = try tree()
    let places = [fruit.path, linked, fruit.path + "/artifacts"]
    for name in ["store.sqlite", "new"] {
      for path in places.map({ "\($0)/\(name)" }) + (name == "new" ? places : []) {
        for arguments in [
          ["get", "last/image_1", "--force", "-o", path],
          ["export", "last", "--force", "-o", path],
          ["export", "last", "--format", "markdown", "--force", "-o", path + ".md"],
          ["export", "--all", "--force", "-o", path + "/"],
          ["backup", path + ".keepsake"],
          ["verify", "--heads", path + ".heads"],
          ["new", "--store", path + "/Inner.keepsake"],
        ] where !(places.contains(path) && ["backup", "verify"].contains(arguments[0])) {
          // With another ending it would stand beside.
          if places.contains(path), arguments.contains("markdown") { continue }
          let run = await CommandRun(
            list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
          #expect(run.code != .done, "\(arguments)")
        }
      }
    }
    let told = await fruit.run("get", "last/image_1", "--force", "-o", fruit.path + "/store.sqlite")
    #expect(told.error.contains("inside of the store at"), "\(told.error)")
    #expect(try tree() == before)
    #expect(await fruit.run("verify", "--full", "--read-data").code == .done)
  }

  @Test(.enabled(if: BuiltProgram.isBuilt))
  func `D2: a pipe in the place of a file is told at once, whatever takes it`() async throws {
    let fruit = try await FruitStore()
    let pipe = fruit.folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for arguments in [
      ["attach", "last", pipe], ["append", "last", "--kind", "event", "x", "--attach", pipe],
      ["append", "last", "--attach", pipe], ["import", pipe], ["audit", pipe],
      ["verify", "--heads", pipe], ["import", "--format", "apple", pipe],
    ] {
      let command = try KeepsakeProcess(
        KeepsakeProcess.executable, arguments, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(try await command.ends(within: 60), "\(arguments) waits for the other end")
      let said = try command.output + command.error
      #expect(said.contains("a device or a pipe"), "\(arguments): \(said)")
    }
  }

  #if os(Linux)
    @Test(.enabled(if: geteuid() == 0 && BuiltProgram.isBuilt, "only root may mount a small disk"))
    func `H4: a disk that is full leaves none of what did not fit, and what was there`()
      async throws
    {
      let fruit = try await FruitStore()
      let disk = fruit.folder.path("disk")
      try await fruit.change { store in
        try await store.session(fruit.session).attach(
          .init(.bytes([UInt8](repeating: 3, count: 3 << 20)), label: "big"))
      }
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
      // In a name space of its own, so that nothing is left mounted whatever happens.
      let script = """
        mount -t tmpfs -o size=1m tmpfs "$2" || exit 99
        printf mine > "$2/out"
        for command in "get last/big --force -o $2/out" "get last/big -o $2/new" \
          "export last --format markdown --force -o $2/out" \
          "export last --format html -o $2/new" "backup $2/Copy.keepsake"; do
          "$1" --store "$3" $command && exit 98
        done
        ls -A "$2"; cat "$2/out"
        """
      let run = try BuiltProgram.bash(
        "exec unshare --mount /bin/bash -c '\(script)' bash \"$1\" \"$2\" \"$3\"", disk, fruit.path)
      // Where nothing may be mounted there is nothing to see.
      if run.status == 99 || run.error.contains("unshare") { return }
      #expect(run.status == 0, "\(run.error)")
      #expect(run.output == "out\nmine", "\(run.output)")
      #expect(run.error.contains("Free some space"), "\(run.error)")
    }

    @Test
    func `D7: a file whose name is no UTF-8 is told, and counted, when its folder is imported`()
      async throws
    {
      let folder = try TemporaryFolder()
      let chats = folder.path("chats")
      try FileManager.default.createDirectory(
        atPath: chats + "/deep", withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: Fixtures.path("apple/os26.json"), toPath: chats + "/good.json")
      for name in ["caf\u{1}.json", "deep/\u{1}x", "\u{1}"] {
        // The one byte that is wrong.
        let path = Array((chats + "/" + name).utf8.map { $0 == 1 ? 0xE9 : $0 }) + [0]
        let file = path.map { CChar(bitPattern: $0) }
        let raw = open(file, O_CREAT | O_WRONLY, 0o600)
        #expect(raw >= 0)
        close(raw)
      }
      let store = folder.path("Chats.keepsake")
      let run = await CommandRun("import", "--json", "--store", store, chats)
      let skipped = try #require(try run.json()["skipped"]?.arrayValue)
      #expect(skipped.count == 3)
      for item in skipped {
        #expect(item["reason"]?.stringValue?.contains("no UTF-8. Rename it") == true)
        #expect(item["path"]?.stringValue?.contains("\u{FFFD}") == true)
      }
      #expect(try run.json()["sessions"]?.arrayValue?.count == 1)
      let told = await CommandRun("import", "--store", store, chats)
      #expect((told.output + told.error).contains("no UTF-8"))
    }
  #endif

  @Test func `heads that a link leads to, which is nothing, are told, and nothing is made`()
    async throws
  {
    let fruit = try await FruitStore()
    let link = fruit.folder.path("heads")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: fruit.folder.path("nothing"))
    let run = await fruit.run("verify", "--heads", link)
    #expect(run.code == .usage)
    #expect(run.error.contains("it is a link to a file that is not there"), "\(run.error)")
    #expect(!FileManager.default.fileExists(atPath: fruit.folder.path("nothing")))
    let missing = await fruit.run("verify", "--heads", fruit.folder.path("no/heads"))
    #expect(missing.code == .failed && missing.error.contains("Check the path"), "\(missing.error)")
    let good = fruit.folder.path("good")
    #expect(await fruit.run("verify", "--heads", good).code == .done)
    #expect(await fruit.run("verify", "--heads", good).code == .done)
    let linked = fruit.folder.path("linked")
    try FileManager.default.createSymbolicLink(atPath: linked, withDestinationPath: good)
    #expect(await fruit.run("verify", "--heads", linked).code == .done)
  }

  /// To refuse it would be wrong. On a USB stick, on a share, or after an archive was unpacked, all files may have such a
  /// mode, often one that can't be changed, and whoever owns the conversations could not read them. It would protect nobody
  /// either: who may write there could write before the store was opened. What they could do is found all the same. An
  /// artifact's bytes are checked whenever they are read, `verify` finds what was altered by the chains, and by heads
  /// that were kept elsewhere whether all of it was replaced; links in the store are never followed. So it is said, each
  /// time, with the command that mends it.
  @Test(arguments: [
    ("", 0o777, "Everybody"), ("", 0o702, "Everybody"), ("", 0o770, "A whole group of users"),
    ("store.sqlite", 0o666, "Everybody"), ("artifacts", 0o720, "A whole group of users"),
    ("", 0o755, nil), ("store.sqlite", 0o644, nil),
  ])
  func `D5: a store that others may write to opens, and is said to be so`(
    name: String, mode: Int, who: String?
  ) async throws {
    let fruit = try await FruitStore()
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: fruit.path + "/" + name)
    for arguments in [["ls"], ["verify"], ["append", "last", "--kind", "event", "x"]] {
      let run = await CommandRun(list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .done)
      #expect(run.error.contains("may write to the store at") == (who != nil), "\(run.error)")
      if let who {
        #expect(run.error.hasPrefix("keepsake: \(who) may write"), "\(run.error)")
        #expect(run.error.contains("chmod -R go-w"))
        #expect(run.error.split(separator: "\n").count == 1)
      }
    }
  }

  @Test(.enabled(if: BuiltProgram.isBuilt))
  func `D5: a store is its owner's alone, whatever the umask`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("Chats.keepsake")
    let large = folder.path("large")
    try Data(count: 200_000).write(to: URL(filePath: large))
    let keepsake = "'\(KeepsakeProcess.executable.path)' --store '\(store)'"
    let run = try KeepsakeProcess(
      URL(filePath: "/bin/bash"),
      [
        "-c",
        "umask 000; \(keepsake) new x && \(keepsake) append last --kind event x && \(keepsake) attach last '\(large)'",
      ], environment: [:])
    let code = try await run.end()
    let said = try run.error
    #expect(code == 0, "\(said)")
    for name in try FileManager.default.subpathsOfDirectory(atPath: store) + [""] {
      var status = stat()
      #expect(lstat("\(store)/\(name)", &status) == 0)
      #expect(status.st_mode & 0o077 == 0, "\(name)")
    }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `H6: root makes no store in a user's folder, nor on the way to one`() async throws {
    let folder = try TemporaryFolder()
    let fruit = try await FruitStore()
    let home = folder.path("home")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
    #expect(chown(home, 4242, 4242) == 0)
    for (arguments, environment) in [
      (["new", "--store", home + "/Chats.keepsake"], [:]), (["new"], ["HOME": home]),
      (["import", "--store", home + "/Chats.keepsake", Fixtures.path("apple/os26.json")], [:]),
      (["backup", home + "/Copy.keepsake", "--store", fruit.path], [:]),
    ] as [([String], [String: String])] {
      let run = await CommandRun(list: arguments, environment: environment)
      #expect(run.code != .done, "\(arguments)")
      #expect(run.error.contains("belongs to the user with number 4242"), "\(run.error)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty, "\(arguments)")
    }
    #expect(chown(home, 0, 0) == 0)
    #expect(await CommandRun("new", "--store", home + "/Chats.keepsake").code == .done)
  }

  @Test(arguments: [-1e11, -9_300_000_000, 9_300_000_000, 1e11, 2e17, -2e17])
  func `F9: a clock before 1677 or beyond 2262 stops nothing`(seconds: Double) async throws {
    let folder = try TemporaryFolder()
    let clock = Date(timeIntervalSince1970: seconds)
    let path = folder.path("Chats.keepsake")
    let store = try await Store(at: URL(filePath: path), options: .init(now: { clock }))
    let session = try await store.createSession(title: "Far")
    try await session.append(.prompt("a banana"), attaching: [.init(.bytes([1, 2, 3]))])
    try await session.append(.response("here"))
    await store.close()
    for arguments in [
      ["ls"], ["ls", "--json"], ["ls", "--since", "7d"], ["show", "last"],
      ["show", "last", "--json"], ["search", "banana"], ["stats"], ["log"], ["artifacts"],
      ["audit", "last"], ["export", "last"], ["export", "last", "--format", "markdown"],
      ["export", "last", "--format", "html"], ["verify"], ["doctor"],
      ["append", "last", "--kind", "event", "x"],
    ] {
      let terminal = Terminal(
        isTerminal: false, secondsAhead: { _ in 3600 }, output: { _ in }, error: { _ in })
      let program = Program(
        terminal: terminal, environment: ["KEEPSAKE_STORE": path], now: { clock })
      #expect(await program.run(arguments) == .done, "\(arguments)")
    }
  }
}
