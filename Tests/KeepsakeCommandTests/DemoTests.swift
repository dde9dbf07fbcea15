import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake demo")
struct DemoTests {
  @Test func `it shows the main job, and leaves a store that holds it`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("Demo.keepsake")
    let run = await CommandRun("demo", path)
    #expect(run.code == .done, "\(run.error)")
    #expect(run.error.isEmpty)
    #expect(!run.output.contains("\u{1B}"))
    for text in [
      "GenerateImage", "image_1", "image_2", "image/png, 96×96", "files left  none",
      "Every byte is as the tool wrote it.", "explicit: ", "give me an image of a banana", "Sound",
      "Store(at:", path,
    ] { #expect(run.output.contains(text), "\(text)") }

    let store = try await Store(at: URL(filePath: path))
    let page = try await store.sessions()
    let session = try await store.session(try #require(page.sessions.first).id)
    let attachments = try await session.attachments()
    #expect(attachments.map(\.label) == ["image_1", "image_2"])
    // The files that it printed are there.
    for attachment in attachments {
      let url = try await attachment.fileURL()
      #expect(run.output.contains(url.absoluteString))
      #expect(try Data(contentsOf: url) == (try await attachment.data()))
    }
    await store.close()

    #expect(await CommandRun("demo", path).code == .done, "Again into the same store")
    let verified = await CommandRun("verify", "--read-data", path)
    #expect(verified.code == .done, "\(verified.output)")
    #expect(verified.output.hasPrefix("Sound: 2 sessions, 10 entries, 4 attachments, 2 artifacts"))
  }

  @Test func `on a terminal it has colours`() async throws {
    let folder = try TemporaryFolder()
    let run = await CommandRun("demo", folder.path("Demo.keepsake"), isStyled: true)
    #expect(run.code == .done)
    #expect(run.output.contains("\u{1B}[1;33m1. "))
  }

  @Test func `a folder that is no store is refused and left as it is`() async throws {
    let folder = try TemporaryFolder()
    try Data("x".utf8).write(to: folder.url.appending(path: "letter.txt"))
    let run = await CommandRun("demo", folder.url.path)
    #expect(run.code == .couldNotRun)
    #expect(run.output.isEmpty)
    #expect(run.error.split(separator: "\n").count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["letter.txt"])
  }
}

@Suite("Images for the demonstration")
struct PNGImageTests {
  @Test func `a known image has the bytes that it should`() {
    let image = PNGImage(width: 1, height: 1) { _, _ in (1, 0, 0) }
    let expected =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAAD0lEQVR4AQEEAPv/AP8AAAMBAQCNHeWCAAAAAElFTkSuQmCC"
    #expect(Data(image.data).base64EncodedString() == expected)
  }

  @Test func `its size is the one that the library measures, also beyond one block`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    let image = PNGImage(width: 200, height: 150) { x, y in (x, y, 0.5) }
    #expect(image.data.count > 65_535)
    let attached = try await session.attach(
      Entry.NewAttachment(.data(Data(image.data))), to: nil)
    #expect(attached.artifact?.sniffedType == "image/png")
    #expect(attached.artifact?.pixelSize?.description == "200×150")
    try await store.removeTemporary()
  }
}
