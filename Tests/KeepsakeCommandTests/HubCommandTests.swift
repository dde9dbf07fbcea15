import Foundation
import Keepsake
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
    (["hub", "frob"], "There is no action 'frob'. Say init or status."),
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
