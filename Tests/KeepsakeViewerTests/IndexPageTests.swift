import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakeViewer

@Suite("The page that lists others")
struct IndexPageTests {
  private func page(_ items: [IndexPage.Item]) throws -> WrittenPage {
    let pieces = Locked<[UInt8]>([])
    var page = IndexPage { piece in pieces.withLock { $0 += piece } }
    try page.begin(count: items.count)
    for item in items { try page.add(item) }
    try page.end(generator: "keepsake 1.2.3")
    return try WrittenPage(text: String(decoding: pieces.withLock { $0 }, as: UTF8.self))
  }

  @Test func `it says what each session is, and links to it`() async throws {
    try await withSession(title: "Fruit") { session, _ in
      try await session.tag(["yellow"])
      var answer = Entry.response("ripe")
      answer.model = "a-model"
      try await session.append([.prompt("a banana"), answer])
      try await session.give(Picture.png, to: 0)
      let summary = try await session.summary()
      let page = try page([
        .init(
          summary, file: "./Fruit-1.html", cover: "./index.artifacts/a.png")
      ])
      #expect(page.dangers.isEmpty)
      #expect(page.first("h1")?.text == "1 conversation")
      let link = try #require(page.first("a", class: "session"))
      #expect(link["href"] == "./Fruit-1.html" && link.text == "Fruit")
      let about = try #require(page.first("p", class: "about")?.text)
      for part in ["a-model", "2 entries", "1 attachment", "yellow"] {
        #expect(about.contains(part), "\(part)")
      }
      #expect(page.first("img", class: "cover")?["src"] == "./index.artifacts/a.png")
      #expect(page.first("img")?["alt"] == "")
      #expect(page.first("footer")?.text.contains("keepsake 1.2.3") == true)
      #expect(page.first("h2")?.text == Phrase.month(summary.updated))
    }
  }

  @Test(arguments: [
    "\"><script>alert(1)</script>", "</title></head><script>", "{{7*7}}", "a\u{2028}b", "' onx='",
    "photo\u{202E}gnp.exe", "javascript:alert(1)", String(repeating: "long ", count: 20_000),
  ])
  func `A8, A13: hostile titles, models and tags are text in it`(name: String) async throws {
    try await withSession(title: name) { session, _ in
      try await session.tag([name])
      var answer = Entry.response(name)
      answer.model = name
      try await session.append([.prompt(name), answer])
      let page = try page([.init(try await session.summary(), file: "./a.html", cover: nil)])
      #expect(page.dangers.isEmpty)
      #expect(page.all("script").isEmpty && page.all("li").count == 1)
      #expect(page.text.utf8.count < 40_000)
      #expect(!page.text.unicodeScalars.contains("\u{202E}"))
    }
  }

  @Test func `A7: its policy lets it ask for the images beside it, and run nothing`() throws {
    let page = try page([])
    let meta = page.all("meta").first { $0["http-equiv"] == "Content-Security-Policy" }
    let policy = try #require(meta?["content"])
    #expect(policy.hasPrefix("default-src 'none'; img-src 'self'"))
    #expect(
      !policy.contains("script-src") && !policy.contains("unsafe") && !policy.contains("http"))
    #expect(page.all("script").isEmpty && page.dangers.isEmpty)
  }

  @Test(arguments: [
    ("image/png", true), ("image/svg+xml", false), ("text/html", false),
  ])
  func `A1, A4: only what pages show is a cover`(type: String, isCover: Bool) async throws {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      let image = try await session.give(Picture.png, type: MediaType(type), to: 0)
      #expect(IndexPage.canCover(image) == isCover)
      let svg = try await session.give(
        Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), to: 0)
      #expect(!IndexPage.canCover(svg))
      let bomb = try await session.give(Picture.png(width: 30_000, height: 30_000), to: 0)
      #expect(!IndexPage.canCover(bomb))
    }
  }
}
