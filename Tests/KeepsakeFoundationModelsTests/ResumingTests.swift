import Foundation
import FoundationModels
import KeepsakeSQLite
import Testing

@testable import Keepsake
@testable import KeepsakeFoundationModels

struct `A transcript that is given back` {
  @Test func `is accepted on another machine, and goes on there`() async throws {
    try await withTemporaryFolder { folder in
      let here = folder.appending(path: "here.keepsake")
      let there = folder.appending(path: "there.keepsake")
      let store = try await Store(at: here)
      let session = try await store.createSession()
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [.think("a banana"), .call([Fruit.call("banana")]), .say { "Here: \($0[0])" }]
        ]), tools: [keeper.keeping(Draw())], instructions: "Draw fruit.")
      try await keeper.turn("a banana", in: model) { try await model.respond(to: "a banana") }
      let before = try model.transcript.json
      await store.close()
      try FileManager.default.copyItem(at: here, to: there)
      try FileManager.default.removeItem(at: here)

      let other = try await Store(at: there)
      let reopened = try await other.session(session.id)
      let otherKeeper = Keeper(reopened)
      let transcript = try await otherKeeper.transcript()
      #expect(try transcript.json == before)
      #expect(transcript.map(\.id) == model.transcript.map(\.id))
      let next = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("Green.")]]), transcript: transcript)
      try await otherKeeper.turn("and unripe?", in: next) {
        try await next.respond(to: "and unripe?")
      }
      #expect(try await reopened.said().suffix(2) == ["prompt: and unripe?", "response: Green."])
      #expect(try await reopened.entries.all().count == 8)
      let report = try await other.verify()
      #expect(report.isSound)
      await other.close()
    }
  }

  @Test func `may say other words for what is stored, which stays as it was`() async throws {
    try await withSession { session, _, _ in
      try await session.append(.instructions("Draw fruit."))
      try await session.append(.prompt("first"))
      try await session.append(.response("one"))
      try await session.append(.prompt("look at /tmp/away/banana.png"))
      let call = Entry.ToolCall(tool: "Draw")
      try await session.append(.toolCalls([call]))
      var new = Entry.NewAttachment(
        .bytes([1, 2, 3]), fileName: "banana.png", madeBy: .toolCall(call))
      new.reference = "/tmp/away/banana.png"
      let image = try await session.attach(new)
      // The app died here: no output.
      let stored = try await session.entries.all()

      let keeper = Keeper(session)
      let (transcript, notes) = try await keeper.resume(.init(references: .labels))
      #expect(notes.contains { $0.reason == .callWithoutOutput(call.id) })
      let said = try transcript.json
      #expect(said.contains(image.label))
      #expect(!said.contains("/tmp/away"))
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("Fine.")], [.say("Still.")]]),
        transcript: transcript)
      for text in ["go on", "and on"] {
        try await keeper.turn(text, in: model) { try await model.respond(to: text) }
      }
      let entries = try await session.entries.all()
      #expect(entries.count == stored.count + 4)
      #expect(entries.prefix(stored.count).map(\.text) == stored.map(\.text))
      for position in stored.indices {
        let revisions = try await session.revisions(of: position)
        #expect(revisions.isEmpty)
      }
    }
  }

  @Test func `fits a budget, and what follows is added to the whole`() async throws {
    try await withSession { session, _, _ in
      let text = String(repeating: "word ", count: 100)
      try await session.append(.instructions("Be short."))
      for number in 0..<20 {
        try await session.append(.prompt("\(number) \(text)"))
        try await session.append(.response("answer \(number)"))
      }
      let keeper = Keeper(session)
      let transcript = try await keeper.transcript(fitting: .tokens(600))
      #expect(transcript.count < 12)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("Yes.")]]), transcript: transcript)
      try await keeper.turn("more", in: model) { try await model.respond(to: "more") }
      #expect(try await session.entries.all().count == 43)
    }
  }

  private func fill(_ session: Session, turns: Int) async throws {
    try await session.append(.instructions("Be short."))
    for number in 0..<turns {
      try await session.append(.prompt("question \(number)"))
      try await session.append(.response("answer \(number)"))
    }
  }

  @Test func `fits the model's window by the model's counting, beside its tools and the answer`()
    async throws
  {
    try await withSession { session, _, _ in
      try await fill(session, turns: 100)
      let keeper = Keeper(session)
      let model = SystemLanguageModel(
        script: [], contextSize: 1_000, counting: .init(entry: 10, tool: 200))
      // 250 stay free.
      #expect(try await keeper.transcript(for: model).count == 75)
      #expect(try await keeper.transcript(for: model, reserving: 100).count == 89)
      _ = keeper.keeping(Draw())
      #expect(try await keeper.transcript(for: model).count == 55)
    }
  }

  @Test func `fits by the estimate where the model can't count`() async throws {
    try await withSession { session, _, _ in
      try await fill(session, turns: 500)
      let keeper = Keeper(session)
      _ = keeper.keeping(Draw())
      let model = SystemLanguageModel(
        script: [], contextSize: 1_000, counting: .init(error: Rotten()))
      let transcript = try await keeper.transcript(for: model)
      let same = try await keeper.transcript(fitting: .tokens(1_000))
      #expect(transcript.map(\.id) == same.map(\.id))
      // What the tool takes is missing in it.
      let without = try await Keeper(session).transcript(fitting: .tokens(1_000))
      #expect(transcript.count < without.count)
    }
  }

  @Test func `of one lane does not have what others said, and goes on all the same`() async throws {
    try await withSession { session, _, _ in
      let router = Keeper(session, lane: "router")
      let chat = Keeper(session, lane: "chat")
      let routing = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("image")], [.say("text")]]))
      let chatting = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("A cup.")], [.say("Blue.")]]))
      for text in ["a cup", "but blue"] {
        try await router.turn(text, in: routing) { try await routing.respond(to: text) }
        try await chat.turn(text, in: chatting) { try await chatting.respond(to: text) }
      }
      let entries = try await session.entries.all()
      #expect(
        entries.map(\.lane) == [
          "router", "router", "chat", "chat", "router", "router", "chat", "chat",
        ])
      #expect(try await Keeper(session, lane: "chat").transcript().json == chatting.transcript.json)
      #expect(
        try await Keeper(session, lane: "router").transcript().json == routing.transcript.json)
    }
  }

  @Test func `has its images, and an image that the app gave the model is kept once`() async throws
  {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let jpeg =
        "data:image/jpeg;base64,\(Data((0..<900).map { UInt8($0 % 251) }).base64EncodedString())"
      var transcript = Transcript(entries: [
        .prompt(
          .init(segments: [
            .text(.init(content: "what is this?")),
            .attachment(.init(label: "image_0", dataURL: jpeg)),
          ])),
        .response(.init(assetIDs: [], segments: [.text(.init(content: "A banana."))])),
      ])
      try await keeper.save(transcript)
      let again = try await keeper.save(transcript)
      #expect(again.appended.isEmpty)
      let images = try await session.attachments()
      #expect(images.map(\.label) == ["image_0"])
      #expect(images.first?.artifact?.size == 900)
      transcript = try await keeper.transcript()
      #expect(try transcript.json.contains(jpeg))
    }
  }

  @Test func `of another story is kept with the turn's draft, as far as the turn goes`()
    async throws
  {
    try await withSession { session, _, _ in
      try await session.append(.prompt("hello"))
      try await session.append(.response("hi"))
      let keeper = Keeper(session)
      // A transcript of something else: the app began anew without what is stored.
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.stream(["What"])]]),
        transcript: Transcript(entries: [
          .prompt(.init(segments: [.text(.init(content: "another"))])),
          .response(.init(assetIDs: [], segments: [.text(.init(content: "story"))])),
        ]))
      let answer = try await keeper.streaming("go on", in: model) {
        model.streamResponse(to: "go on")
      }
      #expect(answer.content == "What")
      #expect(
        try await session.said() == [
          "prompt: hello", "response: hi", "prompt: go on", "response: What",
        ])
      #expect(try await session.drafts().isEmpty)
      #expect(try await session.turns(open: true).isEmpty)
      // Saving the whole transcript is refused, because it parts from the stored one.
      let error = await #expect(throws: KeepsakeError.self) {
        try await keeper.save(model.transcript)
      }
      #expect(error?.code == .diverged)
      #expect(error?.message.contains("ifDiverging: .fork") == true)
    }
  }

  @Test func `of 5,000 entries costs one entry to save again with one more`() async throws {
    try await withSession(indexing: false) { session, store, _ in
      var entries: [Transcript.Entry] = []
      for number in 0..<2500 {
        entries.append(.prompt(.init(segments: [.text(.init(content: "question \(number)"))])))
        entries.append(
          .response(.init(assetIDs: [], segments: [.text(.init(content: "answer \(number)"))])))
      }
      let keeper = Keeper(session)
      let first = try await keeper.save(Transcript(entries: entries))
      #expect(first.appended == 0..<5000)
      func counted(_ save: () async throws -> Session.SaveResult) async throws -> (
        rows: Int, saved: Session.SaveResult
      ) {
        let before = try await store.rowsWritten()
        let saved = try await save()
        return (try await store.rowsWritten() - before, saved)
      }
      let same = try await counted { try await keeper.save(Transcript(entries: entries)) }
      #expect(same.saved.appended.isEmpty)

      entries.append(.prompt(.init(segments: [.text(.init(content: "one more"))])))
      let more = try await counted { try await keeper.save(Transcript(entries: entries)) }
      #expect(more.saved.appended == 5000..<5001)

      // What appending an entry to a small session writes, and a row for how far the list is saved.
      let small = try await store.createSession()
      try await small.append(.prompt("question"))
      let before = try await store.rowsWritten()
      try await small.append(.prompt("one more"))
      let alone = try await store.rowsWritten() - before
      #expect(more.rows <= alone + 2)
      #expect(same.rows <= 1)
    }
  }
}

extension Store {
  /// How many rows the writer's connection has inserted, updated and deleted.
  func rowsWritten() async throws -> Int {
    try await handle.write { change in
      let find = try change.db.connection.prepare("SELECT total_changes()")
      return try find.step() ? find.int(0) : 0
    }
  }
}
