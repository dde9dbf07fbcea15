import Foundation
import Keepsake
import KeepsakeFormats
import Testing

@Suite("The README's code for formats")
struct FormatsReadmeTests {
  @Test func `a transcript is imported once, and exported as it was`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = Fixtures.folder.appending(path: "apple/os27.json")
    let copy = folder.appending(path: "copy.json")
    let store = try await Store.temporary()

    // snippet: importing
    let report = try await store.importFile(at: file)
    let session = try await store.session(report.sessions[0].id)
    let losses = try await session.export(as: "apple", to: copy)
    // end snippet

    #expect(losses.isEmpty)
    #expect(try Data(contentsOf: copy) == Data(contentsOf: file))
    #expect(try await store.importFile(at: copy).sessions.map(\.added) == [0])
    try await store.removeTemporary()
  }

  @Test func `sessions are written for people, with their artifacts beside`() async throws {
    try await withStore { store, place in
      let session = try await store.createSession(title: "Fruit", tags: ["fruit"])
      try await session.append(.prompt("give me an image of a banana."))
      try await session.attach(
        .init(.data(RichSession.png), mediaType: .png, madeBy: .step("Draw")))
      let folder = place.appending(path: "Fruit", directoryHint: .isDirectory)

      // snippet: exporting
      let page = try await store.sessions(.init(tag: "fruit"))
      var sessions: [Session] = []
      for summary in page.sessions { sessions.append(try await store.session(summary.id)) }
      let report = try await store.export(sessions, as: "markdown", to: folder)
      for file in report.files { print(file.url.lastPathComponent, file.artifacts, file.losses) }
      // end snippet

      #expect(report.files.map(\.artifacts) == [1])
      #expect(report.losses.isEmpty)
    }
  }
}
