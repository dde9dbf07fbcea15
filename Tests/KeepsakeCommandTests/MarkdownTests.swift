import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeCommand

@Suite("Markdown in a terminal")
struct MarkdownTests {
  private static let plain = Terminal(output: { _ in }, error: { _ in })
  private static let styled = Terminal(
    isTerminal: true, isStyled: true, output: { _ in }, error: { _ in })

  private func lines(_ text: String, _ width: Int = 40) -> [String] {
    Markdown(text).lines(fitting: width, Self.plain)
  }

  @Test(
    arguments: [
      ("# Fruit", ["Fruit"]), ("### Fruit ###", ["Fruit"]), ("#Fruit", ["#Fruit"]),
      ("**ripe** and *green*, __so__ _it_ is ~~not~~", ["ripe and green, so it is not"]),
      ("***both***", ["both"]), ("2 * 3 * 4", ["2 * 3 * 4"]),
      ("snake_case_name", ["snake_case_name"]),
      ("**open", ["**open"]), ("a ~b~ c", ["a ~b~ c"]),
      ("****", ["────────────────────────────────────────"]),
      ("`a * b` and ``c ` d``", ["a * b and c ` d"]), ("`open", ["`open"]),
      (##"\*no\* \# \n"##, [##"*no* # \n"##]),
      ("- one\n  - two\n* [ ] three\n+ [x] four", ["• one", "  • two", "☐ three", "☑ four"]),
      ("1. one\n12) two\n1.5 three", ["1. one", "12) two", "1.5 three"]),
      ("> one\n> > two", ["│ one", "│ │ two"]), (">", ["│ "]),
      ("---", [String(repeating: "─", count: 40)]), ("--", ["--"]),
      (
        "see [the shop](https://x.example/a_b_(c) \"Shop\")",
        ["see the shop (https://x.example/a_b_(c))"]
      ),
      ("[https://x.example](https://x.example)", ["https://x.example"]),
      ("![](image_1) ![a cup](image_2)", ["▣ image_1 a cup (▣ image_2)"]),
      ("[no](", ["[no]("]), ("[no]", ["[no]"]), ("a[1](b)", ["a1 (b)"]),
      ("one\ntwo\n\nthree", ["one", "two", "", "three"]),
    ] as [(String, [String])])
  func `what is marked is shaped, and what only looks like it stays`(
    text: String, expected: [String]
  ) {
    #expect(lines(text, 60).map { $0.hasPrefix("──") ? String($0.prefix(40)) : $0 } == expected)
  }

  @Test func `code stays as it is, folded only where the line is full`() {
    let text = """
      ```swift
      let a = "**b**"   // # c

        > d
      ```
      after **that**

          e * f * g
      """
    #expect(
      lines(text) == [
        #"  let a = "**b**"   // # c"#, "  ", "    > d", "after that", "", "    e * f * g",
      ])
    #expect(lines("~~~\n" + String(repeating: "x", count: 50), 40).map(\.count) == [40, 12])
    #expect(lines("```\nnever closed\n# still code") == ["  never closed", "  # still code"])
    #expect(lines("> ```\n> a\nb **c**") == ["│   a", "b c"])
  }

  @Test func `a table stands in columns where it fits, and as it was written where it does not`() {
    let table = """
      | Fruit | Price | Colour |
      |:------|------:|:------:|
      | **banana** | 1 | `a|b` |
      | 香蕉 | 12 \\| 13 | |
      """
    #expect(
      lines(table) == [
        "Fruit  │   Price │ Colour", "───────┼─────────┼───────", "banana │       1 │  a|b",
        "香蕉   │ 12 | 13 │ ",
      ])
    #expect(lines(table, 20).first == "| Fruit | Price |")
    #expect(lines("a | b\nc | d") == ["a | b", "c | d"])
  }

  @Test func `what is too wide is folded between words, below its own beginning`() {
    #expect(
      lines("1. one two three four five\n   - six seven eight nine", 14) == [
        "1. one two", "   three four", "   five", "   • six seven", "     eight", "     nine",
      ])
    #expect(lines("> one two three four", 12) == ["│ one two", "│ three four"])
    #expect(lines("香蕉是黄色的。苹果是红色的。", 12) == ["香蕉是黄色", "的。苹果是红", "色的。"])
    #expect(lines(String(repeating: "x", count: 25), 10).map(\.count) == [10, 10, 5])
  }

  @Test func `styles are set and taken back on each line`() {
    let lines = Markdown("# One\n**bold `code`** [x](y)").lines(fitting: 40, Self.styled)
    #expect(lines[0] == "\u{1B}[1;33mOne\u{1B}[0m")
    #expect(
      lines[1]
        == "\u{1B}[1mbold \u{1B}[0m\u{1B}[1;36mcode\u{1B}[0m \u{1B}[4mx\u{1B}[0m\u{1B}[2m (y)\u{1B}[0m"
    )
  }

  @Test(arguments: [
    (">", "x"), ("> ", "x"), ("- ", "x"), ("[", ""), ("[](", ""), ("*a _b ", ""), ("`a``b```c", ""),
    ("|", "\n|-|"), ("a|b\n-|-\n", ""), ("\\", ""), ("![a](", "))))"), (" ", "x"), ("#", " x"),
  ])
  func `what is nested or marked without end costs what its length does`(
    unit: String, end: String
  ) {
    func time(_ count: Int) -> Duration {
      let text = String(repeating: unit, count: count) + end
      return processorTime(attempts: 2) { _ = lines(text, 60) }
    }
    // What cost the square of it would take 64 times as long.
    #expect(time(16_000) < time(2_000) * 8 * 4 + .milliseconds(500))
  }

  @Test func `twenty thousand lines are laid out, and none is wider than the terminal`() {
    let part = """
      ## Fruit
      - a **ripe** banana, [bought](https://shop.example/banana) for `1 €`, and much more of that

      > quoted _well_ and long enough that it must be folded at least once
      ```
      code that is longer than the terminal is wide, as code so often is in these texts
      ```

      """
    let text = String(repeating: part, count: 20_000 / 8)
    let lines = lines(text, 50)
    #expect(lines.count > 20_000)
    #expect(lines.allSatisfy { $0.columns <= 50 })
  }

  @Test func `show renders on a terminal with styles, and is as written in a pipe and with --raw`()
    async throws
  {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      try await store.session(fruit.session).append(
        .response("# Fruit\n**ripe**\u{1B}[2J **\u{202E}x** [a](http://x\u{7})"))
    }
    let arguments = ["show", "last", "--entry", "5"]
    let environment = ["KEEPSAKE_STORE": fruit.path]
    let shown = await CommandRun(
      list: arguments, isStyled: true, width: 60, environment: environment)
    #expect(shown.output.contains("      \u{1B}[1;33mFruit\u{1B}[0m\n"))
    #expect(shown.output.contains("\u{1B}[1mripe\u{1B}[0m␛[2J"))
    #expect(!shown.output.contains("\u{202E}") && !shown.output.contains("\u{7}"))
    #expect(!shown.output.contains("\u{1B}[2J"))
    for run in [
      await CommandRun(
        list: arguments + ["--raw"], isStyled: true, width: 60, environment: environment),
      await CommandRun(list: arguments, width: 60, environment: environment),
      await CommandRun(list: arguments, environment: environment),
    ] {
      #expect(run.output.contains("      # Fruit\n      **ripe**␛[2J"))
    }
  }
}
