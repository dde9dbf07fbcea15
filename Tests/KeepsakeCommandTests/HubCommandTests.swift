import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakeCommand

@Suite("keepsake hub, join, sync and leave")
struct HubCommandTests {
  /// A folder with a place for a hub and two stores.
  private final class Places: Sendable {
    let folder: URL
    var hub: String { folder.appending(path: "Hub").path }
    var laptop: String { folder.appending(path: "Laptop.keepsake").path }
    var desktop: String { folder.appending(path: "Desktop.keepsake").path }

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(
        path: "hub-command-\(UUID().uuidString)", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func run(_ arguments: String..., store: String? = nil) async -> CommandRun {
      await CommandRun(list: arguments + (store.map { ["--store", $0] } ?? []))
    }
  }

  @Test func `two stores have the same conversations after a sync`() async throws {
    let places = try Places()
    let made = await places.run("hub", "init", places.hub)
    #expect(made.code == .done, "\(made.error)")
    #expect(made.output.contains("is ready.") && made.output.contains("keepsake join"))
    let assurances = try await Store.assurances(ofHubAt: .folder(URL(filePath: places.hub)))
    #expect(!assurances.isEmpty)
    for sentence in assurances { #expect(made.output.contains("  \(sentence)\n")) }
    #expect(await places.run("new", "Ships", store: places.laptop).code == .done)
    #expect(
      await CommandRun(
        list: ["append", "last", "Draw a ship.", "--kind", "prompt", "--store", places.laptop]
      ).code == .done)
    let joined = await places.run("join", places.hub, store: places.laptop)
    #expect(joined.output.contains("Joined the hub at file://"), "\(joined.error)")
    #expect(joined.output.contains("1 session to send. Run 'keepsake sync'."))
    let status = await places.run("hub", "status", store: places.laptop)
    #expect(status.output.contains("never; run 'keepsake sync'"))
    #expect(await places.run("join", places.hub, store: places.desktop).code == .done)
    let sent = await places.run("sync", store: places.laptop)
    #expect(sent.output == "Sent 1 session.\n", "\(sent.error)")
    let received = await places.run("sync", store: places.desktop)
    #expect(received.output == "Received 1 session.\n", "\(received.error)")
    #expect(await places.run("sync", store: places.desktop).output == "Nothing changed.\n")
    let shown = await places.run("show", "last", store: places.desktop)
    #expect(shown.output.contains("Draw a ship."))
    let json = try await places.run("hub", "status", "--json", store: places.desktop).json()
    #expect(json["joined"]?.boolValue == true)
    #expect(json["waiting"]?.intValue == 0)
    #expect(json["synced"] != nil)
  }

  @Test func `the stores that meet at the hub are listed, and a lost one is forgotten`()
    async throws
  {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    _ = await places.run("new", "Ships", store: places.laptop)
    _ = await places.run("new", "Boats", store: places.laptop)
    let none = await places.run("hub", "status", "--forget", "desktop", store: places.laptop)
    #expect(none.code == .failed && none.error.contains("has joined no hub"), "\(none.error)")
    _ = await places.run("join", places.hub, "--name", "laptop", store: places.laptop)
    _ = await places.run("join", places.hub, "--name", "desktop", store: places.desktop)
    let before = await places.run("hub", "status", store: places.desktop)
    #expect(before.output.contains("name        desktop\n"), "\(before.output)")
    #expect(before.output.contains("to receive  nothing\n") && !before.output.contains("STORE"))
    _ = await places.run("sync", store: places.laptop)
    let status = await places.run("hub", "status", store: places.desktop)
    #expect(status.output.contains("to receive  2 sessions\n"), "\(status.output)")
    _ = await places.run("sync", store: places.desktop)
    #expect(await places.run("rm", "last", "--yes", store: places.laptop).code == .done)
    _ = await places.run("sync", store: places.laptop)
    let json = try await places.run("hub", "status", "--json", store: places.laptop).json()
    let peers = try #require(json["peers"]?.arrayValue)
    #expect(Set(peers.compactMap { $0["name"]?.stringValue }) == ["laptop", "desktop"])
    for peer in peers {
      let isLaptop = peer["name"]?.stringValue == "laptop"
      #expect(peer["thisStore"]?.boolValue == isLaptop)
      #expect(peer["behindErasing"]?.boolValue == !isLaptop)
    }
    let marked = await places.run("hub", "status", store: places.laptop)
    #expect(
      marked.output.contains("may still have what was erased or deleted"), "\(marked.output)")
    let local = await places.run("hub", "status", "--local", store: places.laptop)
    #expect(local.output.contains("mirror") && !local.output.contains("STORE"))
    let both = await places.run(
      "hub", "status", "--local", "--forget", "desktop", store: places.laptop)
    #expect(both.code == .failed && both.error.contains("Leave out --local"))
    let nobody = await places.run("hub", "status", "--forget", "phone", store: places.laptop)
    #expect(nobody.code == .failed && nobody.error.contains("No store at the hub has the name"))
    let forgotten = await places.run("hub", "status", "--forget", "desktop", store: places.laptop)
    #expect(forgotten.code == .done && !forgotten.output.contains("desktop"))
    // A forgotten store is on the list again after its next sync, and can be named by its id.
    _ = await places.run("sync", store: places.desktop)
    let id = try #require(
      try await places.run("hub", "status", "--json", store: places.desktop).json()["peer"]?
        .stringValue)
    #expect(
      !(await places.run("hub", "status", "--forget", String(id.prefix(8)), store: places.laptop))
        .output.contains("desktop"))
    // Two stores with one name are told apart by their ids.
    _ = await places.run("join", places.hub, "--name", "laptop", store: places.desktop)
    _ = await places.run("sync", store: places.desktop)
    let twins = await places.run("hub", "status", "--forget", "laptop", store: places.laptop)
    #expect(
      twins.code == .failed && twins.error.contains(String(id.prefix(8))), "\(twins.error)")
    // A store that leaves goes off the list.
    #expect(await places.run("leave", store: places.desktop).error == "")
    let last = try await places.run("hub", "status", "--json", store: places.laptop).json()
    #expect(last["peers"]?.arrayValue?.count == 1)
    #expect(
      await places.run("hub", "upgrade", store: places.laptop).output.contains("needs no upgrade."))
    try FileManager.default.moveItem(atPath: places.hub, toPath: places.hub + ".away")
    let away = await places.run("hub", "status", store: places.laptop)
    #expect(away.code == .done && away.output.contains("in step"), "\(away.error)")
    #expect(away.error.contains("There is no hub at"))
    let told = try await places.run("hub", "status", "--json", store: places.laptop).json()
    #expect(told["unreachable"]?.stringValue?.contains("There is no hub at") == true)
    let left = await places.run("leave", store: places.laptop)
    #expect(left.code == .done && left.error.contains("The hub could not be told."))
  }

  @Test func `two stores that share a hub need no sync`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    for store in [places.laptop, places.desktop] {
      let joined = await places.run("join", "--shared", places.hub, store: store)
      #expect(joined.code == .done, "\(joined.error)")
      #expect(joined.output.contains("The folder is a cache of what the hub has."))
    }
    _ = await places.run("new", "Ships", store: places.laptop)
    let sent = await places.run(
      "append", "last", "Draw a ship.", "--kind", "prompt", store: places.laptop)
    #expect(sent.code == .done, "\(sent.error)")
    let shown = await places.run("show", "last", store: places.desktop)
    #expect(shown.output.contains("Draw a ship."), "\(shown.error)")
    #expect(await places.run("sync", store: places.desktop).output == "Nothing changed.\n")
    let refused = await places.run("search", "ship", store: places.desktop)
    #expect(refused.code == .failed && refused.error.contains("as a mirror"), "\(refused.error)")
    let status = await places.run("hub", "status", store: places.desktop)
    #expect(status.output.contains("shared; the folder is a cache"))
    let mirror = await places.run("join", "--mirror", places.hub, store: places.desktop)
    #expect(mirror.code != .done && mirror.error.contains("Leave the hub first"))
    let both = await places.run("join", "--mirror", "--shared", places.hub, store: places.desktop)
    #expect(both.code == .usage)

    // Without the hub, what the folder saw last can be read, and the hub can be left.
    try FileManager.default.moveItem(atPath: places.hub, toPath: places.hub + ".away")
    let away = await places.run("show", "last", store: places.desktop)
    #expect(away.code != .done && away.error.contains("no hub at"), "\(away.error)")
    let cached = await places.run("show", "last", "--read-only", store: places.desktop)
    #expect(cached.output.contains("Draw a ship."), "\(cached.error)")
    #expect(await places.run("leave", store: places.desktop).code == .done)
    let found = await places.run("search", "ship", store: places.desktop)
    #expect(found.output.contains("Draw a ship."), "\(found.error)")
  }

  @Test func `a shared session is followed wherever it is written`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    for store in [places.laptop, places.desktop] {
      _ = await places.run("join", "--shared", places.hub, store: store)
    }
    _ = await places.run("new", "Ships", store: places.laptop)
    _ = await places.run("append", "last", "A ship.", "--kind", "prompt", store: places.laptop)
    let run = LiveRun("show", "last", "--follow", store: places.desktop)
    #expect(try await run.prints("A ship."))
    _ = await places.run("append", "last", "Two ships.", "--kind", "prompt", store: places.laptop)
    #expect(try await run.prints("Two ships."))
    #expect(await places.run("rm", "last", "--yes", store: places.laptop).code == .done)
    #expect(try await run.says("The session was deleted."))
    #expect(await run.stop() == .done)
  }

  @Test func `whoever follows a shared session is told that the hub is away, and that it is back`()
    async throws
  {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    for store in [places.laptop, places.desktop] {
      _ = await places.run("join", "--shared", places.hub, store: store)
    }
    _ = await places.run("new", "Ships", store: places.laptop)
    _ = await places.run("append", "last", "A ship.", "--kind", "prompt", store: places.laptop)
    let run = LiveRun("show", "last", "--follow", store: places.desktop)
    #expect(try await run.prints("A ship."))
    let elsewhere = places.hub + "-elsewhere"
    try FileManager.default.moveItem(atPath: places.hub, toPath: elsewhere)
    #expect(try await run.says("Trying again."))
    #expect(!run.error.contains("can be read again"))
    try FileManager.default.moveItem(atPath: elsewhere, toPath: places.hub)
    #expect(try await run.says("The hub can be read again."))
    _ = await places.run("append", "last", "Two ships.", "--kind", "prompt", store: places.laptop)
    #expect(try await run.prints("Two ships."))
    #expect(await run.stop() == .done)
    #expect(run.error.components(separatedBy: "Trying again.").count == 2, "\(run.error)")
  }

  @Test func `a store stays in step while it is watched`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    for store in [places.laptop, places.desktop] {
      _ = await places.run("new", "Ships", store: store)
      _ = await places.run("join", places.hub, store: store)
    }
    let run = LiveRun("sync", "--watch", store: places.laptop)
    #expect(try await run.prints("Sent 1 session."))
    _ = await places.run("new", "Boats", store: places.laptop)
    #expect(try await run.prints("Sent 1 session.", after: "Sent 1 session."))
    let received = await places.run("sync", store: places.desktop)
    #expect(
      received.output.contains("received 2 sessions")
        || received.output.contains("Received 2 sessions"))
    #expect(try await run.prints("Received 1 session."))
    #expect(await run.stop() == .done)
  }

  @Test func `a store that is watched waits for a hub that is away`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    for store in [places.laptop, places.desktop] {
      _ = await places.run("join", places.hub, store: store)
    }
    _ = await places.run("new", "Ships", store: places.laptop)
    let run = LiveRun("sync", "--watch", store: places.laptop)
    #expect(try await run.prints("Sent 1 session."))
    let elsewhere = places.hub + "-elsewhere"
    try FileManager.default.moveItem(atPath: places.hub, toPath: elsewhere)
    #expect(try await run.says("Trying again until it is there."))
    #expect(!run.error.contains("The hub is there again."))
    try FileManager.default.moveItem(atPath: elsewhere, toPath: places.hub)
    #expect(try await run.says("The hub is there again."))
    _ = await places.run("new", "Boats", store: places.laptop)
    #expect(try await run.prints("Sent 1 session.", after: "Sent 1 session."))
    #expect(await run.stop() == .done)
  }

  /// The command gives up a sync after half a minute, says so, and tries again.
  @Test func `a store that is watched waits for another program that syncs it`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    _ = await places.run("join", places.hub, store: places.laptop)
    _ = await places.run("new", "Ships", store: places.laptop)
    let lock = try FileLock(path: places.laptop + "/sync.lock")
    #expect(try lock.tryLock(.exclusive))
    let run = LiveRun("sync", "--watch", store: places.laptop)
    #expect(try await run.says("another program is syncing it"))
    #expect(try await run.says("Trying again.") && run.output == "")
    try lock.unlock()
    #expect(try await run.prints("Sent 1 session."))
    #expect(!run.error.contains("The hub is there again."))
    #expect(await run.stop() == .done)
  }

  @Test func `a check finds what the hub lost, and a store puts it again`() async throws {
    let places = try Places()
    let made = await places.run("hub", "init", places.hub)
    #expect(made.output.contains("written through to the disk of its folder first"))
    let none = await places.run("hub", "check", store: places.laptop)
    #expect(none.code != .done)
    let file = places.folder.appending(path: "ship.txt").path
    try Data("A ship.".utf8).write(to: URL(filePath: file))
    _ = await places.run("new", "Ships", store: places.laptop)
    let unjoined = await places.run("hub", "check", store: places.laptop)
    #expect(unjoined.code == .failed && unjoined.error.contains("has joined no hub"))
    _ = await places.run(
      "append", "last", "Here it is.", "--kind", "response", "--attach", file,
      store: places.laptop)
    _ = await places.run("join", places.hub, store: places.laptop)
    _ = await places.run("sync", store: places.laptop)
    let sound = await places.run("hub", "check", "--read-data", store: places.laptop)
    #expect(sound.code == .done && sound.error == "")
    #expect(sound.output == "Sound: 1 session, 1 version, 1 artifact (7 B).\n")
    // A check needs the address of the hub alone, and no store.
    #expect(await places.run("hub", "check", places.hub).output == sound.output)
    let artifacts = "\(places.hub)/artifact"
    for shard in try FileManager.default.contentsOfDirectory(atPath: artifacts) {
      try FileManager.default.removeItem(atPath: "\(artifacts)/\(shard)")
    }
    let damaged = await places.run("hub", "check", store: places.laptop)
    #expect(damaged.code == .damaged)
    #expect(damaged.output.contains("Its bytes are not there. Session"), "\(damaged.output)")
    #expect(damaged.output.contains("Damaged: 1 session"))
    let json = try await places.run("hub", "check", "--json", store: places.laptop).json()
    #expect(json["sound"]?.boolValue == false && json["lacking"]?.arrayValue?.count == 1)
    let repaired = await places.run("hub", "check", "--repair", store: places.laptop)
    #expect(repaired.code == .done, "\(repaired.output)\(repaired.error)")
    #expect(repaired.output.hasPrefix("repaired  artifact sha256:"))
    #expect(
      await places.run("hub", "check", "--read-data", store: places.laptop).output == sound.output)
  }

  @Test func `a sweep removes what nothing names, and says so first`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    let empty = await places.run("hub", "sweep", places.hub)
    #expect(empty.output == "There was nothing to remove.\n")
    #expect(
      await places.run("hub", "sweep", "--dry-run", places.hub).output
        == "A sweep would find nothing to remove.\n")
    // A store put an artifact here, and was killed before it committed what names the artifact.
    let bytes = Array("A ship.".utf8)
    let hex = Artifact.ID(SHA256.digest(of: bytes)).description.dropFirst("sha256:".count)
    let shard = "\(places.hub)/artifact/\(hex.prefix(2))"
    try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: "\(shard)/\(hex)"))
    let check = await places.run("hub", "check", places.hub)
    #expect(check.code == .done)
    #expect(check.error.contains("No session names 1 artifact (7 B). 'keepsake hub sweep'"))
    #expect(await places.run("hub", "sweep", places.hub).output == empty.output, "it is young")
    let dry = await places.run("hub", "sweep", "--dry-run", "--older-than", "0min", places.hub)
    #expect(dry.output == "A sweep would remove 1 artifact (7 B).\n", "\(dry.error)")
    let swept = await places.run("hub", "sweep", "--older-than", "0min", places.hub)
    #expect(swept.output == "Removed 1 artifact (7 B).\n")
    #expect(!FileManager.default.fileExists(atPath: "\(shard)/\(hex)"))
    // A store was killed while it wrote an artifact.
    let left = "\(shard)/.keepsake-new-0123456789abcdef0123456789abcdef"
    try Data(bytes).write(to: URL(filePath: left))
    #expect(
      await places.run("hub", "sweep", "--dry-run", places.hub).output
        == "A sweep would remove 1 unfinished file (7 B).\n")
    #expect(FileManager.default.fileExists(atPath: left))
    #expect(
      await places.run("hub", "sweep", places.hub).output
        == "Removed 1 unfinished file (7 B).\n")
    #expect(!FileManager.default.fileExists(atPath: left))
  }

  @Test func `an export takes every session out of the hub, with its artifacts`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    let file = places.folder.appending(path: "ship.txt").path
    try Data("A ship.".utf8).write(to: URL(filePath: file))
    for title in ["Ships", "Boats"] {
      _ = await places.run("new", title, store: places.laptop)
      _ = await places.run(
        "append", "last", "\(title), here.", "--kind", "response", "--attach", file,
        store: places.laptop)
    }
    _ = await places.run("fork", "last", store: places.laptop)
    _ = await places.run("join", places.hub, store: places.laptop)
    _ = await places.run("sync", store: places.laptop)
    let nowhere = await places.run("hub", "export", places.hub)
    #expect(nowhere.code == .usage && nowhere.error.contains("name one with -o"))
    let all = places.folder.appending(path: "all.tar").path
    let export = await places.run("hub", "export", places.hub, "-o", all)
    #expect(export.code == .done, "\(export.error)")
    #expect(export.output == "Wrote 3 sessions to \(all).\n")
    // The export leaves the bundle alone, which is all that another store needs.
    let names = try FileManager.default.contentsOfDirectory(atPath: places.folder.path).sorted()
    #expect(names == ["Hub", "Laptop.keepsake", "all.tar", "ship.txt"])
    let imported = await places.run("import", all, store: places.desktop)
    #expect(imported.code == .done, "\(imported.error)")
    var lists: [[String]] = []
    for store in [places.laptop, places.desktop] {
      let list = try await places.run("ls", "--json", store: store).json().arrayValue ?? []
      lists.append(list.compactMap { $0["id"]?.stringValue }.sorted())
    }
    #expect(lists[0].count == 3 && lists[0] == lists[1])
    let verified = await places.run("verify", "--read-data", store: places.desktop)
    #expect(verified.code == .done, "\(verified.output)")

    let again = await places.run("hub", "export", places.hub, "-o", all)
    #expect(again.code == .failed && again.error.contains("--force"), "\(again.error)")
    let forced = try await places.run("hub", "export", places.hub, "-o", all, "--force", "--json")
      .json()
    #expect(forced["file"]?.stringValue == all && forced["sessions"]?.intValue == 3)
    #expect(forced["leftOut"]?.arrayValue == [])
    // The store that an interrupted export of another hub left is refused.
    let other = places.folder.appending(path: "Other").path
    _ = await places.run("hub", "init", other)
    _ = await places.run(
      "join", other, store: places.folder.appending(path: ".hub-export.keepsake").path)
    let mixed = await places.run("hub", "export", places.hub, "-o", all, "--force")
    #expect(
      mixed.code == .failed && mixed.error.contains("another hub was begun"), "\(mixed.error)")
  }

  @Test func `both continuations are told`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    _ = await places.run("new", "Ships", store: places.laptop)
    for store in [places.laptop, places.desktop] {
      _ = await places.run("join", places.hub, store: store)
      _ = await places.run("sync", store: store)
    }
    for store in [places.laptop, places.desktop] {
      let said = await CommandRun(
        list: ["append", "last", store, "--kind", "prompt", "--store", store])
      #expect(said.code == .done, "\(said.error)")
    }
    #expect(await places.run("sync", store: places.laptop).code == .done)
    let parted = await places.run("sync", store: places.desktop)
    #expect(parted.code == .done)
    #expect(parted.error.contains("went on here and elsewhere. What was written here is session"))
    let json = try await places.run("ls", "--json", store: places.desktop).json()
    #expect(json.arrayValue?.count == 2)
    let sync = try await places.run("sync", "--json", store: places.laptop).json()
    #expect(sync["received"]?.arrayValue?.count == 1)
    #expect(sync["parted"]?.arrayValue?.count == 0)
  }

  @Test func `leaving keeps everything, and tells what was not sent`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    _ = await places.run("new", "Ships", store: places.laptop)
    _ = await places.run("join", places.hub, store: places.laptop)
    let left = await places.run("leave", store: places.laptop)
    #expect(left.code == .done)
    #expect(left.error.contains("1 change was not sent to the hub."))
    #expect(
      await places.run("hub", "status", store: places.laptop).output.contains("has joined no hub"))
    let again = await places.run("leave", store: places.laptop)
    #expect(again.code == .failed && again.error.contains("has joined no hub"))
    let sync = await places.run("sync", store: places.laptop)
    #expect(sync.code == .failed && sync.error.contains("'keepsake join URL' joins one."))
  }

  @Test(arguments: [
    (
      ["hub", "frob"],
      "There is no action 'frob'. Say init, status, check, sweep, upgrade or export."
    ),
    (["hub", "check", "--dry-run"], "'--dry-run' is an option of 'hub sweep'."),
    (["hub", "sweep", "--read-data"], "'--read-data' is an option of 'hub check'."),
    (["hub", "check", "--local"], "'--local' is an option of 'hub status'."),
    (["hub", "sweep", "--forget", "a"], "'--forget' is an option of 'hub status'."),
    (["hub", "upgrade", "/nowhere/at/all"], "There is no hub at '/nowhere/at/all'"),
    (
      ["join", "/nowhere", "--name", String(repeating: "a", count: 201)],
      "A store's name at a hub has 1 to 200 bytes."
    ),
    (["hub", "check", "--force"], "'--force' is an option of 'hub export'."),
    (["hub", "export", "-o", "/tmp", "/x"], "is a folder. Name a file in it."),
    (
      ["hub", "export", "-o", "/tmp/nothing.tar", "/nowhere/at/all"],
      "There is no hub at '/nowhere/at/all'"
    ),
    (["hub", "check", "/nowhere/at/all"], "There is no hub at '/nowhere/at/all'"),
    (["hub", "init"], "'hub init' needs the address of the hub."),
    (["hub", "status", "/x"], "'hub status' takes no address"),
    (["join", "https://example.com/"], "is no address of a hub that is known here"),
    (["join", "/nowhere/at/all"], "There is no hub at '/nowhere/at/all'"),
    (["join", "postgresql://me:secret@localhost/chats"], "password"),
    (["join", "s3://"], "bucket"),
  ])
  func `a wrong address is refused with a sentence`(arguments: [String], words: String) async throws
  {
    let places = try Places()
    let run = await CommandRun(list: arguments + ["--store", places.laptop])
    #expect(run.code != .done)
    #expect(run.error.contains(words), "\(run.error)")
    #expect(!run.error.contains("secret"))
  }

  @Test func `a hub that is away is told, and nothing is lost`() async throws {
    let places = try Places()
    _ = await places.run("hub", "init", places.hub)
    _ = await places.run("new", "Ships", store: places.laptop)
    _ = await places.run("join", places.hub, store: places.laptop)
    try FileManager.default.moveItem(atPath: places.hub, toPath: places.hub + ".away")
    let away = await places.run("sync", store: places.laptop)
    #expect(away.code != .done && away.error.contains("There is no hub at"), "\(away.error)")
    try FileManager.default.moveItem(atPath: places.hub + ".away", toPath: places.hub)
    #expect(await places.run("sync", store: places.laptop).output == "Sent 1 session.\n")
  }
}
