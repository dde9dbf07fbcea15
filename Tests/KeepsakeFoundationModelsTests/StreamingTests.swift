import Foundation
import FoundationModels
import Keepsake
import Testing

@testable import KeepsakeFoundationModels

struct `A streamed answer` {
  @Test func `becomes the entry that the transcript has, and its draft ends with it`() async throws
  {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [.call([Fruit.call("banana")]), .stream(["He", "Hello", "Hello."])]
        ]), tools: [keeper.keeping(Draw())])
      var seen: [String] = []
      let answer = try await keeper.streaming("hi", in: model) {
        model.streamResponse(to: "hi")
      } onSnapshot: {
        seen.append($0.content)
        let drafts = try await session.drafts()
        #expect(drafts.count == 1)
      }
      #expect(seen == ["He", "Hello", "Hello."])
      #expect(answer.content == "Hello.")
      #expect(
        try await session.entries.all().map(\.kind) == [
          .instructions, .prompt, .toolCalls, .toolOutput, .response,
        ])
      #expect(try await session.drafts().isEmpty)
      #expect(try await session.turns().map(\.outcome) == [.answered])
    }
  }

  @Test func `that is structured reloads as its type`() async throws {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [.stream([#"{"title": "Ja"}"#, #"{"title": "Japan", "days": 3}"#])]
        ]))
      try await keeper.streaming("plan", in: model) {
        model.streamResponse(to: "plan", generating: Itinerary.self)
      }
      let entry = try await session.entry(at: 1)
      let itinerary = try entry.content(as: Itinerary.self)
      #expect(itinerary.title == "Japan")
      #expect(itinerary.days == 3)
      let prompt = try await session.entry(at: 0)
      #expect(throws: KeepsakeError.self) { try prompt.content(as: Itinerary.self) }
      #expect(try await keeper.transcript().json == model.transcript.json)
    }
  }

  @Test func `that breaks off is kept as far as it came, and not given to a model again`()
    async throws
  {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [.stream(["Once", "Once upon"]), .fail(Rotten())], [.stream(["The end."])],
        ]))
      await #expect(throws: Rotten.self) {
        try await keeper.streaming("a story", in: model) { model.streamResponse(to: "a story") }
      }
      let failed = try await session.entry(at: 1)
      #expect(failed.status == .failed)
      #expect(failed.text == "Once upon")
      #expect(try await session.turns().map(\.outcome) == [.failed])
      try await keeper.streaming("a story", in: model) { model.streamResponse(to: "a story") }
      #expect(
        try await session.said() == [
          "prompt: a story", "response: Once upon", "prompt: a story", "response: The end.",
        ])
      #expect(try await keeper.transcript().json == model.transcript.json)
    }
  }

  @Test func `that brought nothing leaves nothing but its turn, however often it was tried`()
    async throws
  {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [.fail(Rotten())], [.stream(["Once"]), .fail(Rotten())], [.fail(Rotten())],
        ]))
      await #expect(throws: Rotten.self) {
        try await keeper.streaming("a story", in: model, retrying: { _, tries in tries < 3 }) {
          model.streamResponse(to: "a story")
        }
      }
      #expect(try await session.said() == ["prompt: a story"])
      #expect(try await session.drafts().isEmpty)
      let turns = try await session.turns()
      #expect(turns.map(\.attempts) == [3])
    }
  }

  @Test func `that is cancelled is kept as cancelled`() async throws {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.stream(["Once"]), .hang]]))
      let (snapshots, came) = AsyncStream.makeStream(of: Void.self)
      let turn = Task {
        _ = try await keeper.streaming("a story", in: model) {
          model.streamResponse(to: "a story")
        } onSnapshot: { _ in
          came.yield()
        }
      }
      for await _ in snapshots { break }
      turn.cancel()
      await #expect(throws: (any Error).self) { try await turn.value }
      let entry = try await session.entry(at: 1)
      #expect(entry.status == .cancelled)
      #expect(entry.text == "Once")
      #expect(try await session.turns().map(\.outcome) == [.cancelled])
    }
  }
}
