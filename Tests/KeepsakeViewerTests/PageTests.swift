import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakeViewer

@Suite("A session's page")
struct PageTests {
  private let call = Entry.ToolCall(
    id: "c1", tool: "GenerateImage", arguments: #"{"content": "banana", "limit": 1}"#)

  @Test func `the page says what the session is, and who said what`() async throws {
    try await withSession(title: "Fruit") { session, _ in
      try await session.tag(["yellow"])
      var answer = Entry.response("It is *ripe*.")
      answer.model = "a-model"
      var note = Entry.event("saved")
      note.visibility = .person
      try await session.append([.instructions("Be kind."), .prompt("A banana?"), answer, note])
      let page = try await session.page(.init(generator: "keepsake 1.2.3"))
      #expect(page.dangers.isEmpty)
      #expect(page.first("title")?.text == "Fruit")
      #expect(page.first("h1")?.text == "Fruit")
      #expect(page.all("dd").map(\.text).contains { $0.hasPrefix("4 entries") })
      #expect(page.all("article").map { $0["id"] } == (0..<4).map { "entry-\($0)" })
      #expect(
        page.all("span", class: "role").map(\.text) == [
          "Instructions", "Prompt", "Response", "Event",
        ])
      #expect(page.first("em")?.text == "ripe")
      #expect(page.first("bdi", class: "who")?.text == "a-model")
      #expect(page.first("bdi", class: "tag")?.text == "yellow")
      #expect(page.all("span", class: "mark").map(\.text) == ["for the person alone"])
      let head = try await session.audit().head
      #expect(page.first("footer")?.text.contains(head) == true)
      #expect(page.first("footer")?.text.contains("keepsake 1.2.3") == true)
      for landmark in ["header", "main", "footer"] { #expect(page.first(landmark) != nil) }
      #expect(page.first("html")?["lang"] == "en")
    }
  }

  @Test func `the page says where the conversation went back to, and shows what was taken back`()
    async throws
  {
    try await withSession(title: "Fruit") { session, _ in
      try await session.append([
        .prompt("A banana?"), .response("A cherry."), .goingBack(to: 0), .response("A banana."),
      ])
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      #expect(page.all("article").count == 4)
      #expect(
        page.all("span", class: "mark").map(\.text)
          == ["goes on after entry 0", "for the person alone"])
    }
  }

  @Test @MainActor func `the page is given whole, too, and to whoever runs on the main actor`()
    async throws
  {
    try await withSession(title: "Fruit") { session, _ in
      try await session.append(.prompt("a banana ü"))
      try await session.attach(.init(.data(Data(Picture.png))), to: 0)
      let pieces = Locked<[UInt8]>([])
      try await session.page { piece in pieces.withLock { $0 += piece } }
      var shown = ""
      shown = try await session.pageText()
      #expect(shown.contains("a banana ü") && shown.hasSuffix("</html>\n"))
      let whole = pieces.withLock { $0 }
      #expect(Array(shown.utf8) == whole)
      #expect(try await session.pageData() == Data(whole))
      #expect(try await session.pageData(.init(generator: "x")) != Data(whole))
    }
  }

  @Test func `an image stands once, where the conversation shows it, and is linked to elsewhere`()
    async throws
  {
    try await withSession { session, _ in
      try await session.append([.prompt("a banana"), .toolCalls([call])])
      let image = try await session.attach(
        Data(Picture.png), madeBy: call, caption: "a ripe banana")
      try await session.append([
        .toolOutput(for: call, text: #"{"images": ["\#(image.label)"]}"#),
        .response("Here: ![](\(image.label)), again ![](\(image.label))"),
        .response("[Once more](\(image.label))"),
      ])
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      let shown = try #require(page.all("img").first)
      #expect(page.all("img").count == 1)
      #expect(shown["alt"] == "a ripe banana")
      #expect(shown["width"] == "1" && shown["loading"] == "lazy")
      let data = try #require(shown["src"]?.split(separator: ",").last)
      #expect(Data(base64Encoded: String(data)) == Data(Picture.png))
      // The response shows it: there the bytes stand, not in what the tool said before.
      let response = try #require(page.element(id: "entry-3"))
      #expect(response.text.contains("a ripe banana"))
      #expect(page.all("a", class: "chip").count == 2)
      #expect(
        page.all("a").contains {
          $0.text == "Once more" && $0["href"]?.hasPrefix("#artifact-") == true
        })
      // The output is read with its call.
      #expect(page.element(id: "entry-2")?.path.contains("details") == true)
      #expect(page.all("article").count == 4)
      let row = try #require(page.all("tr").last)
      #expect(row.text.contains("GenerateImage") && row.text.contains("\"banana\""))
      #expect(row.text.contains("a banana") && row.text.contains("explicit"))
    }
  }

  @Test func `without artifacts nothing of their bytes is there`() async throws {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      try await session.give(Picture.png, to: 0)
      try await session.give(Array("a,b\n1,2\n".utf8), to: 0)
      let page = try await session.page(.init(artifacts: .none))
      #expect(page.dangers.isEmpty)
      #expect(!page.text.contains("base64,"))
      #expect(page.all("span", class: "card").count == 2)
    }
  }

  @Test func `what has no bytes says why`() async throws {
    try await withSession { session, _ in
      try await session.append([.prompt("a banana"), .toolCalls([call])])
      for state in [Entry.Attachment.State.pending, .failed, .missing, .remote] {
        try await session.attach(
          .awaited(state, reference: "/tmp/\(state.rawValue).png", madeBy: .toolCall(call)))
      }
      let gone = try await session.attach(Data(Picture.png), madeBy: call)
      try await session.append(.toolOutput(for: call, text: "done"))
      _ = try await session.erase(gone)
      _ = try await session.erase(0)
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      let notes = page.all("span", class: "absent").map(\.text)
      for word in ["Pending", "Failed", "Missing", "Remote", "Erased"] {
        #expect(notes.contains { $0.contains(word) }, "\(word)")
      }
      #expect(page.element(id: "entry-0")?.text.contains("was erased") == true)
      #expect(!page.text.contains("a banana"))
      #expect(page.all("img").isEmpty)
    }
  }

  @Test func `bytes that are damaged or gone are said to be, and the rest of the page stands`()
    async throws
  {
    try await withSession { session, store in
      try await session.append(.prompt("look"))
      let large = Picture.png + [UInt8](repeating: 7, count: 1 << 20)
      let image = try await session.give(large, to: 0)
      let hex = try #require(image.artifact?.id.description.dropFirst(7))
      let file = store.url.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
      try FileManager.default.removeItem(at: file)
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      #expect(page.all("img").isEmpty)
      #expect(page.first("span", class: "note")?.text.contains("are gone from the store") == true)
    }
  }

  @Test func `revisions, drafts, statuses, and what no entry has are told`() async throws {
    try await withSession { session, _ in
      try await session.append([.prompt("one"), .response("two")])
      try await session.revise(1, to: .response("deux"))
      var cut = Entry.response("half an ans")
      cut.status = .interrupted
      try await session.append(cut)
      try await session.give(Picture.png, caption: "alone")
      let draft = try await session.draft()
      draft.update("still coming")
      // It is written behind the stream.
      while try await session.drafts().first?.text.isEmpty ?? true {
        try await Task.sleep(for: .milliseconds(20))
      }
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      let marks = page.all("span", class: "mark").map(\.text)
      #expect(marks.contains("revised once"))
      #expect(marks.contains("interrupted") && marks.contains("still streaming"))
      #expect(page.first("article", class: "unbound")?.text.contains("alone") == true)
      #expect(page.first("article", class: "draft")?.text.contains("still coming") == true)
      try await draft.cancel()
    }
  }

  @Test func `a fork shows what it shares, and answers that came in a later turn stand there`()
    async throws
  {
    try await withSession { session, _ in
      try await session.append([.prompt("a"), .toolCalls([call]), .prompt("b")])
      try await session.append(.toolOutput(for: call, text: "a belated answer"))
      let fork = try await session.fork(before: 3)
      try await fork.append(.response("elsewhere"))
      try await session.revise(0, to: .prompt("A"))
      let page = try await session.page()
      #expect(page.element(id: "entry-3")?.path.contains("details") == false)
      #expect(page.all("span", class: "mark").map(\.text) == ["revised once", "no output here"])
      let other = try await fork.page()
      #expect(other.all("article").count == 4)
      #expect(!other.text.contains("belated") && !other.text.contains("revised"))
      #expect(page.dangers.isEmpty && other.dangers.isEmpty)
    }
  }

  @Test func `Markdown becomes HTML`() async throws {
    let page = try await page(
      saying: """
        - [x] done
        - [ ] open

        | a | b |
        |--:|:-:|
        | 1 | ~~2~~ |

        3. three

        > quoted

        ```swift title
        let a = "<b>"
        ```
        """)
    #expect(page.dangers.isEmpty)
    #expect(page.all("span", class: "box").map { $0["aria-label"] } == ["done", "to be done"])
    #expect(page.all("th").map { $0["class"] } == ["right", "centre"])
    #expect(page.first("del")?.text == "2" && page.first("del")?.path.contains("td") == true)
    #expect(page.first("ol")?["start"] == "3")
    #expect(page.first("blockquote")?.text.contains("quoted") == true)
    #expect(page.first("bdi", class: "language")?.text == "swift")
    #expect(page.all("pre").map(\.text) == ["let a = \"<b>\"\n"])
  }

  @Test func `what instructions tell of tools, and the form that a prompt asks for, are folded`()
    async throws
  {
    try await withSession { session, _ in
      var instructions = Entry.instructions("Draw.")
      instructions.toolDefinitions = .array([.object([("name", .string("GenerateImage"))])])
      var prompt = Entry.prompt("a banana")
      prompt.responseFormat = .object([("type", .string("object"))])
      try await session.append([instructions, prompt])
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      let folds = page.all("details", class: "fold").map(\.text)
      #expect(folds.count == 2 && folds[0].contains("GenerateImage") && folds[1].contains("object"))
    }
  }

  @Test func `arguments are indented, and their values stay to the letter`() async throws {
    #expect(
      PrettyJSON.value(of: #"{"b":[1.0,{}, "a, \"{ " ],"b":[ ]}"#).map(PrettyJSON.text)
        == "{\n  \"b\": [\n    1.0,\n    {},\n    \"a, \\\"{ \"\n  ],\n  \"b\": []\n}")
    #expect(PrettyJSON.value(of: "{broken") == nil && PrettyJSON.value(of: "12") == nil)
  }

  @Test func `a page is written in pieces, whatever it holds`() async throws {
    try await withSession { session, _ in
      try await session.append((0..<600).map { .prompt("entry \($0)") })
      for number in 0..<3 {
        try await session.give(
          Picture.png(number: number) + [UInt8](repeating: 1, count: 1 << 20), to: number)
      }
      let page = try await session.page()
      #expect(page.all("img").count == 3)
      #expect(page.all("article").count == 600)
      #expect(page.largestPiece < 300_000)
      #expect(page.dangers.isEmpty)
    }
  }

  @Test func `an artifact that no browser takes as a URL stays in the store`() async throws {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      try await session.give(Picture.png, to: 0)
      let page = try await session.page(.init(artifactLimit: 10))
      #expect(page.all("img").isEmpty)
      #expect(page.first("span", class: "note")?.text.contains("Too large for a page") == true)
    }
  }

  @Test func `a session without entries has a page`() async throws {
    try await withSession { session, _ in
      let page = try await session.page()
      #expect(page.dangers.isEmpty)
      #expect(page.all("article").isEmpty)
    }
  }
}
