import Foundation
import Testing

@testable import Keepsake

@Suite("Rewriting references")
struct RewritingTests {
  /// A text that mentions `/tmp/T/cup.png`, label `image_1`, and what becomes of it: label, caption.
  static let table: [(text: String, labels: String, captions: String)] = [
    ("See /tmp/T/cup.png.", "See image_1.", "See [image_1: a \"cup\"]."),
    ("![c](/tmp/T/cup.png)", "![c](image_1)", "[image_1: a \"cup\"]"),
    ("a ![c](</tmp/T/cup.png> 'it') b", "a ![c](<image_1> 'it') b", "a [image_1: a \"cup\"] b"),
    (
      "[c [d]](file:///tmp/T/cup.png \"t (x)\")!", "[c [d]](image_1 \"t (x)\")!",
      "[image_1: a \"cup\"]!"
    ),
    ("<file:///tmp/T/cup.png>", "<image_1>", "[image_1: a \"cup\"]"),
    (
      "<p><img alt=\"c\" src=\"/tmp/T/cup.png\"/></p>", "<p><img alt=\"c\" src=\"image_1\"/></p>",
      "<p>[image_1: a \"cup\"]</p>"
    ),
    (
      " {\"é\\n\": [ \"\\/tmp\\/T\\/cup.png\", 1.0 ]} ", " {\"é\\n\": [ \"image_1\", 1.0 ]} ",
      " {\"é\\n\": [ \"[image_1: a \\\"cup\\\"]\", 1.0 ]} "
    ),
    (
      "{\"a\": \"\\u00e9\\ud83c\\udf4c in \\/tmp\\/T\\/cup.png\\n\"}",
      "{\"a\": \"\\u00e9\\ud83c\\udf4c in image_1\\n\"}",
      "{\"a\": \"\\u00e9\\ud83c\\udf4c in [image_1: a \\\"cup\\\"]\\n\"}"
    ),
    (
      "image_1 is cup.png, `cup.png`", "image_1 is cup.png, `image_1`",
      "image_1 is cup.png, `[image_1: a \"cup\"]`"
    ),
  ]

  private func session(_ store: Store, in folder: String = "/tmp/T") async throws -> (
    Session, Entry.Attachment
  ) {
    let session = try await store.createSession()
    try await session.append(.prompt("a cup"))
    var new = Entry.NewAttachment(
      .data(Data("png".utf8)), fileName: "cup.png", caption: "a \"cup\"", madeBy: .step("draw"))
    new.label = "image_1"
    new.mediaType = MediaType("image/png")
    new.reference = "\(folder)/cup.png"
    return (session, try await session.attach(new, to: 0))
  }

  @Test func `labels and captions take the place of references, and every byte around them stays`()
    async throws
  {
    try await withTemporaryStore { store in
      let (session, _) = try await session(store)
      let index = try await session.mentionIndex()
      for row in Self.table {
        let labels = try await index.rewriting([.response(row.text)], as: .labels)
        #expect(labels.entries[0].text == row.labels)
        let captions = try await index.rewriting([.response(row.text)], as: .captions)
        #expect(captions.entries[0].text == row.captions)
      }
    }
  }

  @Test func `file URLs lead to the bytes, and stay a destination of Markdown`() async throws {
    try await withTemporaryStore { store in
      let (session, attachment) = try await session(store)
      let index = try await session.mentionIndex()
      let url = try await attachment.fileURL()
      let entries: [Entry] = [
        .response("![](/tmp/T/cup.png \"x\")"),
        Entry(.response, segments: [.structure(try JSON(validating: #"{"p":"cup.png"}"#))]),
        .toolCalls([.init(tool: "Show", arguments: #"{ "p": "file:\/\/\/tmp\/T\/cup.png" }"#)]),
      ]
      let rewritten = try await index.rewriting(entries, as: .fileURLs)
      #expect(rewritten.kept.isEmpty)
      #expect(rewritten.entries[0].text == "![](\(url.absoluteString) \"x\")")
      #expect(
        rewritten.entries[1].segments[0].content
          == .structure(.object([("p", .string(url.absoluteString))]), schema: nil))
      #expect(
        rewritten.entries[2].toolCalls[0].arguments == "{ \"p\": \"\(url.absoluteString)\" }")
      #expect(try Data(contentsOf: url) == Data("png".utf8))

      let data = try await index.rewriting([.response("![](image_1)")], as: .dataURLs)
      #expect(data.entries[0].text == "![](data:image/png;base64,cG5n)")
    }
  }

  @Test func `a label with a space or a parenthesis is put in angle brackets or encoded`()
    async throws
  {
    let index = MentionIndex([
      .made(1, label: "my cup (2)", reference: "/tmp/a.png"),
      .made(2, label: "cup(2", reference: "/tmp/b.png"),
    ])
    let text = "![](/tmp/a.png) ![](/tmp/b.png)"
    let rewritten = try await index.rewriting([.response(text)], as: .labels)
    #expect(rewritten.entries[0].text == "![](<my cup (2)>) ![](cup%282)")
  }

  @Test func `what is ambiguous, and what has no bytes, stays and is told of`() async throws {
    let index = MentionIndex([
      .made(1, reference: "/tmp/a/cup.png"), .made(2, reference: "/tmp/b/cup.png"),
    ])
    let text = "![](cup.png)"
    let rewritten = try await index.rewriting([.prompt("x"), .response(text)], as: .labels)
    #expect(rewritten.entries[1].text == text)
    #expect(rewritten.kept.map(\.index) == [1])

    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("x"))
      var gone = Entry.NewAttachment.awaited(.missing, madeBy: .source)
      gone.reference = "/tmp/gone.png"
      try await session.attach(gone, to: 0)
      let index = try await session.mentionIndex()
      let rewritten = try await index.rewriting([.response("![](/tmp/gone.png)")], as: .fileURLs)
      #expect(rewritten.entries[0].text == "![](/tmp/gone.png)")
      #expect(rewritten.kept.map(\.mention.spelling) == ["/tmp/gone.png"])
    }
  }
}
