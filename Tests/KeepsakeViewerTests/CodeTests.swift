import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeViewer

@Suite("Code in colours")
struct CodeTests {
  /// The coloured pieces of code, each with its class before it.
  private static func tokens(_ code: String, _ language: String) throws -> [String] {
    var found: [String] = []
    let language = try #require(CodeLanguage.named(language))
    CodeScanner.forEach(in: code, as: language) { piece, token in
      if let token { found.append("\(token.cssClass) \(String(decoding: piece, as: UTF8.self))") }
    }
    return found
  }

  @Test(arguments: [
    (
      "swift", "let a: Int = 1_000 // one\n\"x \\(f(\"y\")) z\"",
      ["k let", "t Int", "n 1_000", "c // one", "s \"x \\(f(\"y\")) z\""]
    ),
    ("swift", "@MainActor func `x`()", ["k @MainActor", "k func"]),
    ("swift", "a.self \"\"\"\n\"\n\"\"\" b", ["s \"\"\"\n\"\n\"\"\""]),
    (
      "python", "def f(x=1.5e-3): # 'no'\n  return 'it\\'s'",
      [
        "k def", "n 1.5e-3", "c # 'no'", "k return", "s 'it\\'s'",
      ]
    ),
    (
      "ts", "const a = b / c / d; x = /a\\/b/g; `t\n${u}`",
      [
        "k const", "s /a\\/b/g", "s `t\n${u}`",
      ]
    ),
    (
      "json", "{\"a\" : \"b\", \"c\":[-1, true]}",
      ["a \"a\"", "s \"b\"", "a \"c\"", "n 1", "k true"]
    ),
    (
      "bash", "if x; then echo \"a$b\" ${c#d} # e\n a#b",
      [
        "k if", "k then", "k echo", "s \"a$b\"", "a ${c#d}", "c # e",
      ]
    ),
    ("sql", "Select 'it''s' FROM t -- c", ["k Select", "s 'it'", "s 's'", "k FROM", "c -- c"]),
    (
      "html", "<!-- c --><a href=\"x\" b='y'>if a < b</a>",
      [
        "c <!-- c -->", "t <a", "a href", "s \"x\"", "a b", "s 'y'", "t </a",
      ]
    ),
    (
      "css", "a:hover { color: #fff; top: 1px /* c */ }",
      [
        "a color", "n #fff", "a top", "n 1px", "c /* c */",
      ]
    ),
    ("c", "#include <a>\nint a = 'x';", ["k #include", "k int", "s 'x'"]),
    ("rust", "fn f<'a>(x: &'a str) { 'b' }", ["k fn", "k str", "s 'b'"]),
    (
      "diff", "--- a\n+++ b\n@@ -1 @@\n-x\n-y\n+z\n w",
      [
        "h --- a\n+++ b\n@@ -1 @@", "m -x\n-y", "p +z",
      ]
    ),
    (
      "yaml", "a: don't # c\n- b-c: \"d\"\n  url: http://x\n",
      ["a a", "c # c", "a b-c", "s \"d\"", "a url"]
    ),
    ("toml", "[a]\nb = true ; c", ["a b", "k true", "c ; c"]),
  ])
  func `each language has its comments, strings, numbers and words`(
    language: String, code: String, expected: [String]
  ) throws {
    #expect(try Self.tokens(code, language) == expected)
  }

  private static let languages = [
    "swift", "python", "ts", "json", "bash", "sql", "html", "css", "c", "java", "go", "rust",
    "ruby",
    "diff", "yaml", "toml",
  ]

  @Test(arguments: languages)
  func `whatever the code is, its pieces are the code, and no character is split`(name: String)
    throws
  {
    let language = try #require(CodeLanguage.named(name))
    let parts = [
      "\"", "'", "`", "\\", "/", "*", "/*", "*/", "//", "#", "--", "<", ">", "<!--", "-->", "{",
      "}",
      "(", ")", "\\(", "$", "${", "@", "=", ":", "\n", " ", "\t", "a", "Zed", "let", "1.5e", "+",
      "-",
      "é", "👩‍👧", "ا", "\u{301}", "\u{202E}", "\"\"\"", "```",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<400 {
      let code = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        parts.randomElement(using: &random) ?? ""
      }
      .joined()
      var joined: [UInt8] = []
      CodeScanner.forEach(in: code, as: language) { piece, _ in
        joined += piece
        #expect(String(validating: piece, as: UTF8.self) != nil, "\(code.debugDescription)")
      }
      #expect(joined == Array(code.utf8), "\(code.debugDescription)")
    }
  }

  @Test(arguments: languages)
  func `A12: no code takes more than time that grows with it`(name: String) throws {
    let language = try #require(CodeLanguage.named(name))
    for part in [
      "/", "\\/", "/[", "\"", "'", "\\", "/*", "<!-", "<", "a ", "- ", "${", "\\(", "#", "=/ \\/",
      "@",
      "\"\"", "- - a", "1e-", "\t\t\ta :",
    ] {
      let growth = growth(from: 1500) { count in
        String(repeating: part, count: count)
      } of: { code in
        var bytes = 0
        CodeScanner.forEach(in: code, as: language) { piece, _ in bytes += piece.count }
        #expect(bytes == code.utf8.count)
      }
      #expect(growth < 9, "\(part)")
    }
  }

  @Test func `a language that nobody knows has no colours, and what is too long has none either`()
    async throws
  {
    let both = try await page(
      saying: "```klingon\nlet a\n```\n\n```swift\n\(String(repeating: "let ", count: 3))\n```")
    #expect(both.all("pre").count == 2)
    #expect(both.all("span", class: "k").count == 3)
    let many = try await page(
      saying: "```swift\n\(String(repeating: "let ", count: 5900))\n```")
    #expect(many.all("span", class: "k").count == 5900)
    #expect(try Self.tokens(String(repeating: "let ", count: 9000), "swift").count == 6000)
  }

  @Test(arguments: languages)
  func `A6, A8, A13: hostile code is text in every language`(name: String) async throws {
    let hostile = """
      </code></pre><script>alert(1)</script><!-- --> "<img src=x onerror=alert(1)>" '</span>' {{7*7}}
      # <b>\u{202E}gnp.exe\u{202C} // <i> /* <u> */ $<x> @<y> + <ins> - <del>
      """
    let page = try await page(saying: "~~~~\(name)\n\(hostile)\n~~~~")
    #expect(page.dangers.isEmpty)
    #expect(page.all("script").count == 1 && page.all("img").isEmpty)
    let shown = try #require(page.first("pre")?.text)
    #expect(shown.contains("</code></pre><script>alert(1)</script>"))
    #expect(shown.contains("U+202E"))
    #expect(page.all("pre").count == 1)
  }
}
