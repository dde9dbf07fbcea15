import MarkdownParsing
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
}
