import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

/// The code of the articles in Sources/Keepsake/Keepsake.docc. tools/lib/readme compares it with what stands there.
@Suite("The articles' code")
struct ArticleTests {
  private let png = Data(base64Encoded: Pixel.png) ?? Data()

  /// A folder that is there while the body runs.
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "articles-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test func `Getting Started: a conversation is kept, listed and read again`() async throws {
    try await withFolder { folder in
      let place = folder.appending(path: "Chats.keepsake")
      // snippet: opening
      let store = try await Store(at: place)
      let session = try await store.createSession(title: "Fruit")
      try await session.append(.instructions("You are a helpful assistant."))
      try await session.append(.prompt("What is a banana?"))
      try await session.append(.response("A berry, botanically."))
      // end snippet

      // snippet: reading
      for summary in try await store.sessions().sessions {
        print(summary.name ?? "untitled", summary.entries)
      }
      let newest = try await session.entries(last: 50)
      for entry in newest { print(entry.kind, entry.text) }
      // end snippet
      #expect(newest.map(\.kind) == [.instructions, .prompt, .response])

      // snippet: closing
      await store.close()
      // end snippet
    }
  }

  /// A model that answers piece by piece, or fails.
  private struct Model {
    var failure: CocoaError?

    func answers(to text: String) -> AsyncThrowingStream<String, any Error> {
      AsyncThrowingStream { continuation in
        for piece in ["A ripe", " banana."] { continuation.yield(piece) }
        continuation.finish(throwing: failure)
      }
    }
  }

  private func ask(_ text: String, _ model: Model, in session: Session) async throws {
    // snippet: turn
    let turn = try await session.openTurn()
    try await session.append(.prompt(text))
    let draft = try await session.draft()
    do {
      for try await piece in model.answers(to: text) { draft.append(piece) }
      try await draft.finish()
      try await session.close(turn, .answered)
    } catch {
      try await draft.fail()
      try await session.close(turn, .failed, detail: error.localizedDescription)
    }
    // end snippet
  }

  @Test func `Recording a Turn: it ends as answered or as failed, and what came is kept`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await ask("a banana, please", Model(), in: session)
      try await ask("and a cup", Model(failure: CocoaError(.userCancelled)), in: session)
      #expect(try await session.turns().map(\.outcome) == [.answered, .failed])
      let entries = try await session.entries.all()
      #expect(entries.map(\.text)[1] == "A ripe banana.")
      #expect(entries.map(\.status) == [.complete, .complete, .complete, .failed])
    }
  }

  @Test func `Recording a Turn: a run keeps what it makes`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("a banana, please"))
      // snippet: run
      let run = try await session.begin(
        .tool, "GenerateImage", .init(arguments: #"{"content": "banana"}"#, model: "painter-2"))
      session.report(0.5, note: "half of it is there", of: run)
      let image = try await session.attach(
        .init(.data(png), caption: "a ripe banana", madeBy: .invocation(run)))
      let output = "Here it is: \(image.label)"
      try await session.end(run, .finished, output: output)
      try await session.append([
        .toolCalls([run.toolCall]), .toolOutput(for: run.toolCall, text: output),
      ])
      // end snippet
      #expect(try await session.entry(at: 2).attachments.map(\.label) == ["image_1"])
    }
  }

  @Test func `Images that Last: bytes come before, with, or after the entry that shows them`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      // snippet: given
      let photo = Entry.NewAttachment(.data(png), fileName: "cup.png", caption: "my cup")
      let prompt = try await session.append(.prompt("What is this?"), attaching: [photo])
      // end snippet
      #expect(prompt.attachments.map(\.maker) == [.user])

      // snippet: later
      let answer = try await session.append(.response("It will look like this."))
      let portrait = try await session.attach(
        .awaited(mediaType: .png, madeBy: .step("Portrait")), to: answer.position)
      // The drawing takes a minute, and the app may end meanwhile.
      try await session.settle(portrait, with: .data(png))
      // end snippet

      // snippet: showing
      for attachment in try await session.entry(at: 1).attachments {
        let file = try await attachment.fileURL()
        print(attachment.label, file.lastPathComponent, attachment.caption ?? "")
      }
      // end snippet
      let shown = try await session.entry(at: 1).attachments
      #expect(try await shown.first?.data() == png)
      #expect(shown.map(\.artifact) == prompt.attachments.map(\.artifact))
    }
  }

  @Test func `Images that Last: a tool's file is taken in from a folder that the app allows`()
    async throws
  {
    try await withTemporaryStore { store in
      let temporary = FileManager.default.temporaryDirectory
        .appending(path: "drawn-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: temporary) }
      let session = try await store.createSession()
      let path = temporary.appending(path: "15FB1AFF.png").path
      try png.write(to: URL(filePath: path))
      // snippet: path
      let folders = try IntakeFolders([temporary])
      var drawn = Entry.NewAttachment(
        try folders.source(named: path), madeBy: .step("GenerateImage"))
      drawn.reference = path
      try await session.attach(drawn)

      let found = try await session.resolve("![](file://\(path))")
      print(found.attachment?.label ?? "nothing")
      // end snippet
      #expect(found.attachment?.label == "image_1")
      #expect(throws: KeepsakeError.self) { try folders.source(named: "/etc/passwd") }
    }
  }

  @Test func `Resuming: what fits goes out, and what was done is said`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.instructions("Be brief."), .prompt("a banana, please")])
      try await session.append(.toolCalls([.init(id: "c-1", tool: "GenerateImage")]))
      // snippet: resume
      let resumption = try await session.resume(
        .init(budget: .tokens(4096), references: .labels))
      for entry in resumption.entries { print(entry.kind, entry.text) }
      for note in resumption.notes { print(note) }
      // end snippet
      #expect(resumption.entries.map(\.kind) == [.instructions, .prompt, .toolCalls, .toolOutput])
      #expect(resumption.notes.contains { $0.reason == .callWithoutOutput("c-1") })

      let tokenizer: @Sendable (Entry) -> Int = { entry in entry.text.utf8.count / 4 + 4 }
      // snippet: budget
      var budget = Resumption.Budget.tokens(8192, reserving: 1024)
      budget.counter = { entries in entries.reduce(0) { $0 + tokenizer($1) } }
      budget.condenser = { turns in "[\(turns.count) turns about fruit were left out.]" }
      let fitted = try await session.resume(.init(budget: budget))
      // end snippet
      #expect(fitted.tokens != nil)
    }
  }

  @Test func `Forks and Revisions: another answer, and a corrected one`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession(title: "Fruit")
      try await session.append([.prompt("a banana"), .response("Yellow."), .prompt("thanks")])
      // snippet: fork
      let fork = try await session.fork(before: 1)
      try await fork.append(.response("Green, while it is not ripe."))
      for other in try await session.alternatives(at: 1) {
        print(other.name ?? "untitled", other.id)
      }
      // end snippet
      #expect(try await fork.entries.all().count == 2)
      #expect(try await session.alternatives(at: 1).map(\.id).contains(fork.id))

      let older = try await session.fork(before: 2)
      // snippet: revise
      try await session.revise(1, to: .response("Yellow, when it is ripe."))
      for revision in try await session.revisions(of: 1) {
        print(revision.replaced, revision.entry.text)
      }
      // end snippet
      #expect(try await session.revisions(of: 1).map(\.entry.text) == ["Yellow."])
      // A revision of the parent does not show in a fork that was made before it.
      #expect(try await older.entry(at: 1).text == "Yellow.")

      var transcript = [Entry.prompt("a banana"), .response("Blue."), .prompt("thanks")]
      transcript[1].key = nil
      // snippet: saving
      let saved = try await session.save(transcript, ifDiverging: .fork)
      print(saved.session.id == session.id ? "gone on with" : "a fork of its own")
      // end snippet
      #expect(saved.session != session)
    }
  }

  @MainActor
  @Test func `Observing: a model object follows the session`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      // snippet: observed
      let chat = ObservedSession(session)
      chat.start()
      try await session.append(.prompt("hello"))
      // end snippet
      let deadline = ContinuousClock.now + .seconds(60)
      while chat.entries.isEmpty, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(chat.entries.map(\.text) == ["hello"])
      chat.stop()
    }
  }

  @Test func `Observing: events are a sequence`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      // snippet: events
      let events = session.events
      try await session.append(.prompt("hello"))
      for try await event in events {
        guard case .appended(_, let positions) = event else { continue }
        print("new: \(positions)")
        break
      }
      // end snippet
    }
  }

  @Test func `Auditing: from the bytes to the prompt, and a head that is kept elsewhere`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("a banana, please"))
      let call = Entry.ToolCall(tool: "GenerateImage", arguments: #"{"n": 1}"#)
      try await session.append(.toolCalls([call]))
      let image = try await session.attach(png, madeBy: call)
      let artifact = try #require(image.artifact)

      // snippet: trail
      let trail = try await store.audit(artifact.id)
      for place in trail.attachments {
        print(place.tool ?? "no tool", place.arguments ?? "", place.basis)
        print(place.prompt?.text ?? "no prompt")
      }
      // end snippet
      #expect(trail.attachments.map(\.prompt?.text) == ["a banana, please"])

      // snippet: tool
      let made = try await store.audit(tool: "GenerateImage")
      let report = try await session.audit()
      print(made.products.count, report.callsWithoutOutput.count)
      // end snippet
      #expect(made.products.count == 1 && report.callsWithoutOutput.count == 1)

      // snippet: heads
      let heads = try await store.verify().heads
      // Keep them where whoever can write to the store can't. Later:
      let later = try await store.verify(.init(readData: true, heads: heads))
      for finding in later.findings { print(finding) }
      // end snippet
      #expect(later.isSound)
    }
  }

  @Test func `What Durable Means: an error says what to do`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var shown: [String] = []
      func show(_ text: String) { shown.append(text) }
      // snippet: errors
      do {
        try await session.append(.prompt("hello"))
      } catch let error as KeepsakeError where error.code == .diskFull {
        show(error.message)
      } catch let error as KeepsakeError where error.code == .locked {
        // Another process wrote for longer than `Store.Options.patience`: nothing was written.
        show(error.message)
      }
      // end snippet
      #expect(shown.isEmpty)
      try await withFolder { folder in
        let place = folder.appending(path: "Copy.keepsake")
        // snippet: backup
        let backup = try await store.backup(to: place)
        print(backup.report.isSound)
        // end snippet
        #expect(backup.report.isSound)
      }
    }
  }
}
