import Foundation
import Keepsake
import Testing

@testable import KeepsakeViewer

@Suite("The outline of a page")
struct OutlineTests {
  @Test func `prompts are listed with links that lead to them, before the conversation`()
    async throws
  {
    try await withSession { session, _ in
      try await session.append([
        .instructions("x"), .prompt("# A **banana**\n\nplease"), .response("y"),
        .prompt("and a cup"),
      ])
      try await session.append(.prompt("erased"))
      _ = try await session.erase(4)
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      let links = page.elements.filter { $0.name == "a" && $0.path.contains("ol") }
      #expect(links.map(\.text) == ["A banana please", "and a cup"])
      #expect(links.map { $0["href"] } == ["#entry-1", "#entry-3"])
      #expect(page.first("nav", class: "outline")?["aria-label"] == "Prompts")
      let names = page.elements.map(\.name)
      let nav = try #require(names.firstIndex(of: "nav"))
      #expect(nav < names.firstIndex(of: "main") ?? 0)
    }
    let alone = try await page(saying: "no prompt")
    #expect(alone.all("nav", class: "outline").isEmpty)
  }

  @Test(arguments: [
    "\"><script>alert(1)</script>", "</a></nav><main>", "\u{202E}gnp.exe", "' onclick='x", "\u{0}",
    String(repeating: "\u{301}", count: 1000), String(repeating: "x", count: 100_000), "\n\n",
  ])
  func `A8, A13: hostile prompts are text in it`(text: String) async throws {
    try await withSession { session, _ in
      try await session.append([.prompt(text), .prompt(text + "!")])
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      let links = page.elements.filter { $0.name == "a" && $0.path.contains("ol") }
      #expect(links.count == 2 && links.allSatisfy { !$0.text.isEmpty && $0.text.count < 140 })
    }
  }

  @Test func `A12: a list of very many prompts ends, and says how many more there are`() throws {
    var outline = Outline()
    for position in 0..<5000 {
      outline.add(
        try Entry(
          json: JSON(
            validating:
              #"{"kind":"prompt","position":\#(position),"text":"hello"}"#
          )))
    }
    let html = String(decoding: outline.html.bytes, as: UTF8.self)
    #expect(html.components(separatedBy: "<li>").count == 2001)
    #expect(html.contains("and 3,000 more"))
  }
}
