import Foundation
import Keepsake
import KeepsakeFormats
import KeepsakeTestSupport
import Testing

@testable import KeepsakeCommand

@Suite("keepsake watch")
struct WatchCommandTests {
  private struct Home {
    let folder: TemporaryFolder
    var store: String { folder.path("Chats.keepsake") }
    var agents: String { folder.path("agents") }

    init() throws {
      folder = try TemporaryFolder()
      try FileManager.default.createDirectory(
        atPath: agents, withIntermediateDirectories: true)
    }

    /// Adds a line to the file of a session.
    func write(_ text: String, _ number: Int, to name: String = "s-1") throws {
      let line =
        #"{"type":"user","uuid":"u-\#(name)-\#(number)","sessionId":"\#(name)","timestamp":"2026-11-20T10:00:00Z","message":{"role":"user","content":"\#(text)"}}"#
        + "\n"
      let path = "\(agents)/\(name).jsonl"
      if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      defer { try? file.close() }
      try file.seekToEnd()
      try file.write(contentsOf: Data(line.utf8))
    }

    func run(_ arguments: String..., environment: [String: String] = [:]) async -> CommandRun {
      await CommandRun(
        list: arguments,
        environment: ["KEEPSAKE_STORE": store, "HOME": folder.url.path].merging(environment) { $1 })
    }
  }

  @Test func `takes in what comes, once for a store, and says how it is`() async throws {
    let home = try Home()
    #expect(await home.run("watch", "--status").code == .couldNotRun)
    try home.write("a banana", 1)
    let watch = LiveRun("watch", home.agents, store: home.store)
    #expect(try await watch.prints("1 entry added, new  a banana"), "\(watch.error)")
    try home.write("a cup", 2)
    #expect(try await watch.prints("1 entry added  a banana"), "\(watch.error)")

    let second = await home.run("watch", home.agents)
    #expect(second.code == .failed)
    #expect(second.error.contains("A watch runs already for the store"), "\(second.error)")
    let status = await home.run("watch", "--status").output
    #expect(status.contains("It runs, as process"), "\(status)")
    #expect(status.contains("2 entries, 1 new session, 0 new artifacts"), "\(status)")
    #expect(status.contains("Nothing waits."), "\(status)")
    #expect(await watch.stop() == .done)
    let after = await home.run("watch", "--status").output
    #expect(after.contains("It does not run."), "\(after)")
    #expect(await home.run("search", "cup").output.contains("a cup"))

    // The next one goes on with what came meanwhile.
    try home.write("a lemon", 3)
    let next = LiveRun("watch", home.agents, "--json", store: home.store)
    #expect(try await next.prints(#"{"looked":{"files":1}}"#), "\(next.output)")
    #expect(next.output.contains(#""new":false,"added":1,"revised":0,"entries":3"#))
    _ = await next.stop()
    #expect(await home.run("verify").code == .done)
  }

  @Test func `goes on where it was killed`() async throws {
    let home = try Home()
    for round in 0..<3 {
      let watch = try KeepsakeProcess("watch", home.agents, "--json", store: home.store)
      for number in 0..<4 { try home.write("line \(round)-\(number)", 4 * round + number) }
      #expect(try await watch.prints("took"))
      watch.send(SIGKILL)
      _ = try await watch.end()
    }
    let last = LiveRun("watch", home.agents, "--json", store: home.store)
    #expect(try await last.prints("looked"))
    #expect(await last.stop() == .done)
    let listed = try await home.run("ls", "--json").json()
    #expect(listed[0]?["entries"]?.intValue == 12)
    #expect(listed[1] == nil)
  }

  @Test func `is steered by nothing that stands in a file`() async throws {
    let home = try Home()
    try home.write(#"red \u001b[31m\u0007 \u202e evil"#, 1)
    try Data("\u{1B}]0;evil\u{7}\n".utf8).write(
      to: URL(filePath: "\(home.agents)/x\u{1B}[2J.jsonl"))
    let watch = LiveRun("watch", home.agents, store: home.store, width: 100)
    #expect(try await watch.prints("1 entry added, new"))
    #expect(try await watch.says("skipped"))
    #expect(!watch.output.contains("skipped"), "\(watch.output)")
    _ = await watch.stop()
    let status = await home.run("watch", "--status").output
    for text in [watch.output, watch.error, status] {
      #expect(
        !text.unicodeScalars.contains { $0.value == 0x1B || $0.value == 7 || $0.value == 0x202E })
    }
  }

  @Test func `refuses what it can't follow`() async throws {
    let home = try Home()
    let missing = await home.run("watch", home.folder.path("none"))
    #expect(missing.code == .failed)
    #expect(missing.error.contains("it is no folder"), "\(missing.error)")
    #expect(await home.run("watch", "--status", "--install").code == .usage)
    let homeless = await home.run("watch", environment: ["HOME": ""])
    #expect(homeless.error.contains("HOME is not set"), "\(homeless.error)")
  }

  #if os(Linux)
    @Test func `is installed as a user service of systemd, and taken away`() async throws {
      let home = try Home()
      let unit = home.folder.path(".config/systemd/user")
      let run = await home.run(
        "watch", "--install", "/data/100% mine", environment: ["CODEX_HOME": #"/a "b""#])
      #expect(run.code == .done, "\(run.error)")
      // There is no systemctl to be found: what is to be typed is said.
      #expect(run.error.contains("systemctl --user daemon-reload"), "\(run.error)")
      #expect(run.output.hasPrefix("Wrote "), "\(run.output)")
      #expect(!run.output.contains("systemctl"), "\(run.output)")
      let names = try FileManager.default.contentsOfDirectory(atPath: unit)
      let name = try #require(names.first)
      #expect(names.count == 1 && name.hasPrefix("keepsake-watch-") && name.hasSuffix(".service"))
      let text = try String(contentsOfFile: "\(unit)/\(name)", encoding: .utf8)
      #expect(text.contains(#""--store" "\#(home.store)" "watch" "/data/100%% mine""#), "\(text)")
      #expect(text.contains(##"Environment="CODEX_HOME=/a \"b\"""##), "\(text)")
      #expect(text.contains("WantedBy=default.target"))
      #expect(FileManager.default.fileExists(atPath: home.store))
      let removed = await home.run("watch", "--uninstall")
      #expect(removed.code == .done, "\(removed.error)")
      #expect(removed.output.hasPrefix("Removed "), "\(removed.output)")
      #expect(removed.error.contains("It could not be ended here."), "\(removed.error)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: unit).isEmpty)
      let again = await home.run("watch", "--uninstall")
      #expect(again.output.contains("There is nothing to take away"), "\(again.output)")
    }
  #endif

  @Test func `is installed as a launch agent on a Mac`() {
    let text = WatchService.agent(
      "dev.keepsake.watch", ["/usr/local/bin/keepsake", "--store", "/a & b", "watch"],
      [("CODEX_HOME", "/c")])
    #expect(text.contains("<string>/a &amp; b</string>"))
    #expect(text.contains("<key>CODEX_HOME</key><string>/c</string>"))
    #expect(text.contains("<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>"))
  }
}
