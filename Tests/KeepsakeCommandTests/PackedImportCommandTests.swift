import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeCommand

@Suite("keepsake import of archives")
struct PackedImportCommandTests {
  private static func session(_ id: String, _ text: String) -> String {
    #"{"type":"user","uuid":"u-\#(id)","sessionId":"\#(id)","timestamp":"2026-11-20T10:00:00Z","message":{"role":"user","content":"\#(text)"}}"#
      + "\n"
  }

  private static let export = Packed.zip([
    .init("projects/a.jsonl", session("a", "a banana")), .init("b.jsonl", session("b", "a cup")),
    .init("page.html", "<!DOCTYPE html><html></html>"),
    .init("../evil.jsonl", session("e", "evil")),
  ])

  @Test func `the files of an archive are listed by their names, and again they add nothing`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = folder.path("Chats.keepsake")
    let zip = folder.path("export.zip")
    try Data(Self.export).write(to: URL(filePath: zip))
    let run = await CommandRun("--store", store, "import", "--json", zip)
    #expect(run.code == .done, "\(run.error)")
    let report = try run.json()
    let sessions = try #require(report["sessions"]?.arrayValue)
    #expect(
      sessions.map { $0["file"]?.stringValue } == ["\(zip)/b.jsonl", "\(zip)/projects/a.jsonl"])
    #expect(
      report["skipped"]?.arrayValue?.map { $0["path"]?.stringValue } == ["\(zip)/../evil.jsonl"])
    #expect(await CommandRun("--store", store, "search", "banana").output.contains("a banana"))

    let again = await CommandRun("--store", store, "import", zip)
    #expect(again.output.contains("2 sessions, 0 new; 0 entries added"), "\(again.output)")
    let strict = await CommandRun("--store", store, "import", "--strict", zip)
    #expect(strict.code == .failed)
    let into = await CommandRun("--store", store, "import", "--into", "last", zip)
    #expect(into.code == .failed)
    #expect(into.error.contains("Unpack it, and name one file of it"), "\(into.error)")
  }

  @Test func `archives in a folder are taken over with it`() async throws {
    let folder = try TemporaryFolder()
    let exports = folder.url.appending(path: "exports")
    try FileManager.default.createDirectory(at: exports, withIntermediateDirectories: true)
    try Data(Self.export).write(to: exports.appending(path: "export.zip"))
    try Data(Packed.gzip(Array(Self.session("c", "a lemon").utf8)))
      .write(to: exports.appending(path: "c.jsonl.gz"))
    try Data(Packed.zip([.init("a.html", "<html>")])).write(to: exports.appending(path: "x.zip"))
    let run = await CommandRun(
      "--store", folder.path("Chats.keepsake"), "import", "--json", exports.path)
    #expect(run.code == .done, "\(run.error)")
    let report = try run.json()
    #expect(report["sessions"]?.arrayValue?.count == 3)
    #expect(report["skipped"]?.arrayValue?.count == 2)
  }

  @Test func `an export with its images is taken alike as an archive and as a folder`() async throws
  {
    let folder = try TemporaryFolder()
    let image = try #require(
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      ))
    let conversations =
      #"[{"title":"Fruit","conversation_id":"c-1","current_node":"u","mapping":{"u":{"id":"u","parent":null,"message":{"author":{"role":"user"},"content":{"content_type":"multimodal_text","parts":["see",{"asset_pointer":"file-service://file-abc"}]}}}}}]"#
    let zip = folder.path("export.zip")
    try Data(
      Packed.zip([
        .init("conversations.json", conversations),
        .init(Array("file-abc-photo.png".utf8), Array(image)),
        .init("user.json", "{}"),
      ])
    ).write(to: URL(filePath: zip))
    let exports = folder.url.appending(path: "export")
    try FileManager.default.createDirectory(at: exports, withIntermediateDirectories: true)
    try Data(conversations.utf8).write(to: exports.appending(path: "conversations.json"))
    try image.write(to: exports.appending(path: "file-abc-photo.png"))
    try Data("{}".utf8).write(to: exports.appending(path: "user.json"))
    for (place, skipped) in [(zip, [String]()), (exports.path, ["\(exports.path)/user.json"])] {
      let store = folder.path("\(skipped.count).keepsake")
      let run = await CommandRun("--store", store, "import", "--json", place)
      #expect(run.code == .done, "\(run.error)")
      let report = try run.json()
      #expect(report["artifacts"]?["new"] == 1)
      // Images are no conversations, and nobody meant each of them.
      #expect(report["skipped"]?.arrayValue?.map { $0["path"]?.stringValue } == skipped)
      let list = await CommandRun("--store", store, "artifacts")
      #expect(list.output.contains("image/png"), "\(list.output)")
    }
  }

  @Test func `where nothing in an archive is known no store is made`() async throws {
    let folder = try TemporaryFolder()
    let zip = folder.path("export.zip")
    let store = folder.path("Chats.keepsake")
    try Data(Packed.zip([.init("a.html", "<html>")])).write(to: URL(filePath: zip))
    let run = await CommandRun("--store", store, "import", zip)
    #expect(run.code == .failed)
    #expect(run.error.contains("none of its files is of a format that is known"), "\(run.error)")
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `the program leaves nothing in the temporary folder, also of what was killed`()
    async throws
  {
    guard BuiltProgram.isBuilt else { return }
    let folder = try TemporaryFolder()
    let place = folder.url.appending(path: "tmp")
    let left = place.appending(path: ".keepsake-new-" + String(repeating: "0", count: 32))
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
    try Data(Self.export).write(to: left.appending(path: "conversations.json"))
    let zip = folder.path("export.zip")
    // A process that has the folder locked keeps it; nobody has this one.
    for (bytes, code) in [
      (Self.export, Int32(0)), (Packed.zip([]), 1), (Array(Self.export.prefix(60)), 1),
    ] {
      try Data(bytes).write(to: URL(filePath: zip))
      let process = try KeepsakeProcess(
        "import", zip, store: folder.path("Chats.keepsake"), environment: ["TMPDIR": place.path])
      #expect(try await process.end() == code)
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
    }
    try Data(Self.export).write(to: URL(filePath: zip))
    let piped = try BuiltProgram.bash(
      #"TMPDIR=$2 "$1" --store "$3" import --json - < "$4""#, place.path,
      folder.path("Chats.keepsake"), zip)
    #expect(piped.output.contains("standard input/b.jsonl"), "\(piped)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
  }
}
