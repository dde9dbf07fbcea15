import KeepsakeMarkdown
import Testing

@Suite("Markdown")
struct MarkdownTests {
  private func events(_ text: String) throws -> [MarkdownEvent] {
    var events: [MarkdownEvent] = []
    try #require(Markdown(text)).forEach { events.append($0) }
    return events
  }

  @Test func `a text is walked through in its order`() throws {
    let found = try events("# A *b*\n\n- [x] c\n- d\n")
    #expect(
      found == [
        .begin(.heading(1)), .begin(.text("A ")), .begin(.emphasis), .begin(.text("b")),
        .end(.emphasis), .end(.heading(1)), .begin(.list(start: nil, isTight: true)),
        .begin(.item(isTicked: true)), .begin(.paragraph), .begin(.text("c")), .end(.paragraph),
        .end(.item(isTicked: true)), .begin(.item(isTicked: nil)), .begin(.paragraph),
        .begin(.text("d")), .end(.paragraph), .end(.item(isTicked: nil)),
        .end(.list(start: nil, isTight: true)),
      ])
  }

  @Test(arguments: [
    String(repeating: ">", count: 17), String(repeating: "> - 1. ", count: 6) + "a",
    String(repeating: "[", count: 1501), String(repeating: "`", count: 33),
    String(repeating: "a", count: Markdown.limit + 1),
  ])
  func `a text that would keep the parser busy is refused before it is parsed`(text: String) {
    #expect(Markdown(text) == nil)
    #expect(Markdown(String(text.dropFirst(10))) != nil)
  }

  @Test(arguments: [
    String(repeating: "-", count: 80), "****bold****",
    "1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18",
    String(repeating: ".", count: 200), "- - -", String(repeating: "| a ", count: 100),
    (0..<100).map { "- item \($0)\n  - below it\n" }.joined(), "",
  ])
  func `what people write is parsed`(text: String) {
    #expect(Markdown(text) != nil)
  }

  @Test func `a table of too many cells is text, so that a few bytes don't become millions`() throws
  {
    func table(columns: Int, rows: Int) -> String {
      String(repeating: "|a", count: columns) + "|\n" + String(repeating: "|-", count: columns)
        + "|\n" + String(repeating: "|a|\n", count: rows)
    }
    #expect(try events(table(columns: 10, rows: 100)).contains(.begin(.table)))
    let large = try events(table(columns: 1000, rows: 1000))
    #expect(!large.contains(.begin(.table)))
    #expect(large.count < 10_000)
  }

  @Test func `cells know their column's alignment, and HTML is told from text`() throws {
    let found = try events("| a | b |\n|--:|:-:|\n| <i> | c |\n")
    #expect(found.contains(.begin(.cell(.right, isHeader: true))))
    #expect(found.contains(.begin(.cell(.centre, isHeader: false))))
    #expect(found.contains(.begin(.html("<i>", isBlock: false))))
    #expect(try events("<script>\nx\n").first == .begin(.html("<script>\nx\n", isBlock: true)))
  }

  @Test func `many are parsed at a time, each as if it were alone`() async throws {
    let text = String(repeating: "~~a~~ *b* `c`\n\n| d |\n|---|\n| ~~e~~ |\n\n", count: 40)
    let expected = try events(text)
    #expect(expected.filter { $0 == .begin(.strikethrough) }.count == 80)
    let all = try await withThrowingTaskGroup(of: [MarkdownEvent].self) { group in
      for number in 0..<64 {
        group.addTask { try number % 2 == 0 ? events(text) : events("plain ~a~") }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(all.filter { $0.count > 10 }.allSatisfy { $0 == expected })
    #expect(all.count == 64)
  }
}
