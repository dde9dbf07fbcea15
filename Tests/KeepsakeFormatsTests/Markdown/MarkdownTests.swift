import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Markdown")
struct MarkdownTests {
  @Test func `a rich session reads as a document, with its files beside`() async throws {
    try await withStore { store, folder in
      let session = try await RichSession.make(in: store)
      let file = folder.appending(path: "my fruit.md")
      let losses = try await session.export(as: "markdown", to: file)
      #expect(losses.description == "2 details of entries")
      try Snapshot.expect(String(contentsOf: file, encoding: .utf8), is: "markdown/rich.md")
      let beside = folder.appending(path: "my fruit.artifacts")
      let names = try FileManager.default.contentsOfDirectory(atPath: beside.path).sorted()
      #expect(names == ["Voice.wav", "file_4.txt", "image_1.png", "my sketch.png"])
      #expect(try Data(contentsOf: beside.appending(path: "my sketch.png")) == RichSession.png)
    }
  }

  @Test func `without files the bytes stand in the document, or words do`() async throws {
    try await withStore { store, _ in
      let session = try await RichSession.make(in: store)
      let inline = try await session.exported(as: "md", options: .init(artifacts: .inline))
      #expect(inline.losses[.attachments] == 0)
      try Snapshot.expect(
        String(decoding: inline.bytes, as: UTF8.self), is: "markdown/rich-inline.md")
      // A stream has nothing beside it.
      let none = try await session.exported(as: "markdown")
      #expect(none.losses[.attachments] == 4)
      try Snapshot.expect(String(decoding: none.bytes, as: UTF8.self), is: "markdown/rich-none.md")
    }
  }

  @Test func `the bytes of a large artifact are never in memory as text`() async throws {
    try await withStore { store, _ in
      let session = try await store.createSession()
      let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 5) })
      let image = try await session.attach(
        .init(.data(bytes), mediaType: .png, madeBy: .step("Draw")))
      try await session.append(.response("Here: ![](\(image.label)), [again](\(image.label))."))
      let largest = Locked(0)
      let output = Locked<[UInt8]>([])
      try await session.export(as: "md", options: .init(artifacts: .inline)) { piece in
        largest.withLock { $0 = max($0, piece.count) }
        output.withLock { $0 += piece }
      }
      #expect(largest.withLock { $0 } <= 4 << 18)
      let url = "(data:image/png;base64,\(bytes.base64EncodedString()))"
      #expect(
        String(decoding: output.withLock { $0 }, as: UTF8.self)
          .contains("Here: ![]\(url), [again]\(url).\n"))
    }
  }

  @Test func `it is written and not read`() async throws {
    try await withStore { store, folder in
      let file = folder.appending(path: "a.md")
      try Data("# A".utf8).write(to: file)
      let error = try await #require(throws: FormatError.self) {
        try await store.importFile(at: file, format: "markdown")
      }
      #expect(error.code == .unsupported)
      #expect(Format(named: "md")?.canRead == false)
    }
  }

  @Test(arguments: [
    ("a_b", "a_b"), ("_a_", #"\_a\_"#), ("<b>|`x`", #"\<b\>\|\`x\`"#), ("a\n# b", ##"a \# b"##),
    ("[x](y)!", #"\[x\](y)\!"#), (#"\"#, #"\\"#),
  ])
  func `a text of one line formats nothing`(text: String, line: String) {
    #expect(Markdown.line(text) == line)
  }

  @Test func `code keeps whatever fences it has`() {
    #expect(Markdown.fenced("a\n````\nb") == "`````\na\n````\nb\n`````\n")
    #expect(Markdown.fenced("", language: "json") == "```json\n```\n")
    #expect(Markdown.code("a`b") == "`` a`b ``")
    #expect(Markdown.html(#"<a href="x">&"#) == "&lt;a href=&quot;x&quot;&gt;&amp;")
    #expect(
      JSONLayout.text(.object([("a", .array([.number(1), .object([])])), ("b", .string("\n"))]))
        == "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"\\n\"\n}")
  }
}
