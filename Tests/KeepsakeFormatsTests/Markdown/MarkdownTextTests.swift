import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// Each of these breaks out of a document that takes texts as they are.
@Suite("A message in Markdown inside of a document")
struct MarkdownTextTests {
  private func safe(_ text: String) -> String {
    var markdown = MarkdownText()
    markdown.add(text)
    return markdown.finish()
  }

  @Test(arguments: [
    "plain *text*, `code` and [links](https://example.org/a_(b))",
    "- a\n- b\n  - c\n\n1. one\n2. two", "| a | `b<c` |\n|---|---|\n| 1 | 2 |",
    "```swift\nlet a: Array<Int> = [] // # no heading\n---\n```\nafter",
    "1. Run:\n\n   ```sh\n   # install <b>\n   npm i\n   ```\n2. Done", "> quoted\n> again",
    "    # indented <b>\n    ```", "a < b, <3 and a<-b", "`Array<Int>` and ``a`<b>``",
    "~~~\n```\n<b>\n~~~", #"\<b> and \`<3\`"#, "`https://a.b/<c>` and `<d>`",
    "[a](b)`<c>` and [d](e \"f\") `<g>`",
    "- [ ] a task\n- [x] done",
  ])
  func `what does no harm stays as it is`(text: String) {
    #expect(safe(text) == text)
  }

  @Test(arguments: [
    ("# A\n###### F\n#", "### A\n###### F\n###"), ("  ## A", "  #### A"),
    ("- # A\n  ## B", "- ### A\n  #### B"), ("> # A", "> ### A"), ("#tag", "#tag"),
    ("A\n===", "A\n\n==="), ("A\n---", "A\n\n---"), ("> A\n> ---", "> A\n> \n> ---"),
    ("- A\n  ---", "- A\n\n  ---"),
    ("1. - - A\nlazy\n         # B", "1. - - A\nlazy\n         ### B"),
  ])
  func `its headings stand below those of the document`(text: String, expected: String) {
    #expect(safe(text) == expected)
  }

  @Test(arguments: [
    ("</details><h2>x</h2>", "&lt;/details>&lt;h2>x&lt;/h2>"), ("<!-- a", "&lt;!-- a"),
    (#"\\<b>"#, #"\\&lt;b>"#), ("`a\n` <b> `", "`a\n` &lt;b> `"),
    ("a ` b | c ` <b> `", "a ` b | c ` &lt;b> `"), ("` | ` a ` <b> `", "` | ` a ` &lt;b> `"),
    ("![](`1) <b> `", "![](`1) &lt;b> `"), ("[a](\n`b) <b> `", "[a](\n`b) &lt;b> `"),
    (#"[a](b "`") <b> `"#, #"[a](b "`") &lt;b> `"#), ("www.a`b <b> `", "www.a`b &lt;b> `"),
    (#"https://a\<b>"#, #"https://a\&lt;b>"#),
    ("x ` <b>", "x ` &lt;b>"), ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
    ("- a\n  ```\n<b>", "- a\n  ```\n&lt;b>"), ("> ```\n<b>", "> ```\n&lt;b>"),
  ])
  func `HTML is shown`(text: String, expected: String) {
    #expect(safe(text) == expected)
  }

  @Test(arguments: [
    ("```\ncode", "```\ncode\n```"), ("~~~~ a`b\n~~~\n\n", "~~~~ a`b\n~~~\n\n\n~~~~"),
    ("- a\n  ```\n  b", "- a\n  ```\n  b\n  ```"), ("```\n```\n```", "```\n```\n```\n```"),
    ("```\r## A\r\n", "```\n## A\n\n```"),
  ])
  func `a fence that is left open is closed`(text: String, expected: String) {
    #expect(safe(text) == expected)
  }

  @Test(arguments: [
    ("foo\n14. bar\n    ```\n    <b>", #"\`\`\`"#), ("- a\nlazy\n\n  ```\n<b>", #"\`\`\`"#),
    ("-\n\n  ```\n<b>\n```\n<b>", #"  \`\`\`"#),
  ])
  func `what not every reader takes for a fence is none`(text: String, expected: String) {
    #expect(safe(text).contains(expected))
    #expect(!safe(text).contains("<b>"))
  }

  @Test(arguments: [
    ("[a]: https://evil.example", #"\[a]: https://evil.example"#), ("[^1]: ## A", #"\[^1]: ## A"#),
    ("> [a\\]b]: /x", #"> \[a\]b]: /x"#), ("[a\nb]: /x", "\\[a\nb]: /x"),
    ("[a](b): c", "[a](b): c"),
  ])
  func `definitions count for nothing`(text: String, expected: String) {
    #expect(safe(text) == expected)
  }
}
