import Foundation
import Keepsake
import KeepsakeViewer
import Testing

@Suite("The README's code of pages")
struct ReadmeTests {
  @Test func `a session becomes a page`() async throws {
    try await withSession(title: "Fruit") { session, store in
      try await session.append(.prompt("a banana, please"))
      let url = store.url.deletingLastPathComponent().appending(path: "fruit.html")
      #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
      let file = try FileHandle(forWritingTo: url)

      // snippet: page
      try await session.page { piece in try file.write(contentsOf: piece) }
      // end snippet

      try file.close()
      let page = try WrittenPage(text: String(contentsOf: url, encoding: .utf8))
      #expect(page.first("title")?.text == "Fruit")
    }
  }
}
