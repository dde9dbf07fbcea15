import Foundation
import Keepsake
import Testing

@Suite("The README's code")
struct ReadmeTests {
  @Test func `the example of a dozen lines gives the conversation back with its image`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let temporaryFile = folder.appending(path: "15FB1AFF.png")
    try Data(base64Encoded: Pixel.png)?.write(to: temporaryFile)
    let place = folder.appending(path: "Chats.keepsake")
    var shown: [URL] = []
    func show(_ url: URL) { shown.append(url) }

    // snippet: example
    let store = try await Store(at: place)
    let session = try await store.createSession(title: "Fruit")

    try await session.append(.instructions("You are a helpful assistant."))
    try await session.append(.prompt("give me an image of a banana."))
    let call = Entry.ToolCall(
      tool: "GenerateImage", arguments: #"{"content": "banana", "limit": 1}"#)
    try await session.append(.toolCalls([call]))

    // In the tool: the bytes are safe before the model hears of them.
    let banana = try await session.attach(
      contentsOf: temporaryFile, madeBy: call, caption: "a ripe banana")
    try await session.append(.toolOutput(for: call, text: #"{"images": ["\#(banana.label)"]}"#))
    try await session.append(.response("Here is your banana: ![](\(banana.label))"))

    // A year later, on another machine.
    for try await entry in session.entries {
      print(entry.text)
      for attachment in entry.attachments { show(try await attachment.fileURL()) }
    }
    // end snippet

    #expect(shown.count == 1)
    let url = try #require(shown.first)
    #expect(try Data(contentsOf: url) == Data(base64Encoded: Pixel.png))
    #expect(url.pathExtension == "png")
    await store.close()
  }

  @Test func `a conversation goes back to a model within its window, and its references as labels`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.instructions("Be brief."), .prompt("a banana, please")])
      let png = try #require(Data(base64Encoded: Pixel.png))
      var new = Entry.NewAttachment(.data(png), label: "image_1", caption: "a ripe banana")
      new.reference = "/var/folders/9j/T/15FB1AFF.png"
      try await session.attach(new, to: 1)
      try await session.append(.response("![](file:///private/var/folders/9j/T/15FB1AFF.png)"))

      // snippet: resuming
      let resumption = try await session.resume(
        .init(budget: .tokens(4096), references: .labels))
      for note in resumption.notes { print(note) }
      // end snippet
      #expect(resumption.entries.count == 3)
      #expect(resumption.notes.isEmpty)

      // snippet: resolving
      let found = try await session.resolve("[Banana](/var/folders/9j/T/15FB1AFF.png)")
      let image = try await found.attachment?.fileURL()
      // end snippet
      #expect(try Data(contentsOf: #require(image)) == png)
      #expect(resumption.entries[2].text == "![](image_1)")
    }
  }

  @Test func `an app that holds the transcript saves it whole, as often as it likes`() async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var transcript = [Entry.prompt("hello"), .response("Hello! What can I do?")]
      transcript[0].key = "prompt-1"

      // snippet: saving
      let saved = try await session.save(transcript)
      print("\(saved.appended.count) new, \(saved.revised.count) revised")
      // end snippet

      #expect(saved.appended == 0..<2)
      #expect(try await session.save(transcript).appended.isEmpty)
    }
  }

  @Test func `a tool's run keeps what it makes, and an answer streams`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let png = try #require(Data(base64Encoded: Pixel.png))
      let snapshots = ["A", "A ripe", "A ripe banana."]

      // snippet: running
      let turn = try await session.openTurn()
      try await session.append(.prompt("a banana, please"))
      let run = try await session.begin(.tool, "GenerateImage", .init(arguments: #"{"n": 1}"#))
      let image = try await session.attach(.init(.data(png), madeBy: .invocation(run)))
      try await session.end(run, .finished, output: "made \(image.label)")
      try await session.append([
        .toolCalls([run.toolCall]),
        .toolOutput(for: run.toolCall, text: "made \(image.label)"),
      ])

      let draft = try await session.draft()
      for snapshot in snapshots { draft.update(snapshot) }
      try await draft.finish()
      try await session.close(turn, .answered)
      // end snippet

      let entries = try await session.entries.all()
      #expect(entries.map(\.text) == ["a banana, please", "", "made image_1", "A ripe banana."])
      #expect(entries[2].attachments.map(\.recording) == [image.recording])
      #expect(try await session.resume().entries.flatMap(\.attachments).count == 1)
      #expect(try await session.attachments().map(\.invocation) == [run.id])
      #expect(try await session.turns().map(\.outcome) == [.answered])
    }
  }

  private struct Cover: Codable, Equatable {
    let page: Int
  }

  @Test func `what an app knows comes back as its own type, and tokens are added up`() async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      // snippet: usage
      var answer = Entry.response("Here is the cover.")
      answer.metadata = try JSON(encoding: Cover(page: 3))
      answer.usage = Usage(reported: ["prompt_tokens": 120, "completion_tokens": 30])
      let stored = try await session.append(answer)

      let cover = try stored.metadata?.decode(as: Cover.self)
      for day in try await store.usage(by: .day) {
        print(day.name ?? "unknown", day.total.input, day.total.output)
      }
      // end snippet
      #expect(cover == Cover(page: 3))
      #expect(try await store.usage(by: .day).map(\.total.input) == [120])
    }
  }

  @Test func `what is stored is listed, read in pages, and found by its words`() async throws {
    try await withTemporaryStore { store in
      let stored = try await store.createSession(title: "Fruit")
      try await stored.append([.prompt("une banane d'été"), .response("Voilà.")])

      // snippet: finding
      let page = try await store.sessions(.init(since: .now.addingTimeInterval(-86_400)))
      let session = try await store.session(page.sessions[0].id)
      let newest = try await session.entries(last: 50)
      let earlier = try await session.entries(before: newest[0].position ?? 0, count: 50)
      let hits = try await store.search("ete", in: .init(kinds: [.prompt]))
      // end snippet

      #expect(newest.count == 2)
      #expect(earlier.isEmpty)
      #expect(hits.hits.map(\.position) == [0])
    }
  }

  @Test func `an audit leads from an artifact to the prompt, and verifying finds nothing wrong`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("a banana, please"))
      let call = Entry.ToolCall(tool: "GenerateImage", arguments: "{}")
      try await session.append(.toolCalls([call]))
      let attached = try await session.attach(.init(.bytes([1, 2, 3]), madeBy: .toolCall(call)))
      let artifact = try #require(attached.artifact)

      // snippet: audit
      let trail = try await store.audit(artifact.id)
      for place in trail.attachments {
        print(place.tool ?? "nobody", place.arguments ?? "", place.prompt?.text ?? "", place.basis)
      }
      let report = try await store.verify()
      print(report.isSound, report.heads)
      // end snippet

      #expect(trail.attachments.map(\.prompt?.text) == ["a banana, please"])
      #expect(report.isSound)
    }
  }

  @Test func `a session goes with what only it used, and a fork copies nothing`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("one"), .response("two")])

      // snippet: forking
      let fork = try await session.fork(before: 1)
      try await fork.append(.response("another answer"))
      try await store.deleteSession(session.id)
      // end snippet

      #expect(try await fork.entries.all().map(\.text) == ["one", "another answer"])
      await #expect(throws: KeepsakeError.self) { try await store.session(session.id) }
    }
  }
}

enum Pixel {
  /// One grey pixel.
  static let png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
}
