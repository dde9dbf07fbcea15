import Foundation
import FoundationModels
import Keepsake
import Testing

@testable import KeepsakeFoundationModels

/// An app changes its instructions between two launches: another profile, a summary of what was said.
struct `A model that is told something else than what is stored` {
  /// A session in which "one" was asked and answered, under the instructions "Be kind."
  private func withStoredTurn(
    _ body: (Session) async throws -> Void
  ) async throws {
    try await withSession { session, _, _ in
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("1.")]]), instructions: "Be kind.")
      try await Keeper(session).turn("one", in: model) { try await model.respond(to: "one") }
      try await body(session)
    }
  }

  private func instructions(_ text: String) -> Transcript.Entry {
    .instructions(.init(segments: [.text(.init(content: text))], toolDefinitions: []))
  }

  @Test func `answers, and its answer is returned and kept; what it was told is a revision`()
    async throws
  {
    try await withStoredTurn { session in
      let keeper = Keeper(session)
      let given = try await keeper.transcript()
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("2.")], [.say("3.")]]),
        transcript: Transcript(entries: [instructions("Be short.")] + given.dropFirst()))
      for (text, answer) in [("two", "2."), ("three", "3.")] {
        let said = try await keeper.turn(text, in: model) { try await model.respond(to: text) }
        #expect(said.content == answer)
      }
      #expect(
        try await session.said() == [
          "instructions: Be short.", "prompt: one", "response: 1.", "prompt: two", "response: 2.",
          "prompt: three", "response: 3.",
        ])
      #expect(try await session.revisions(of: 0).map(\.entry.text) == ["Be kind."])
      #expect(try await session.turns().map(\.outcome) == [.answered, .answered, .answered])
      // Saving the whole once more writes nothing.
      let again = try await keeper.save(model.transcript)
      #expect(again.appended.isEmpty)
      #expect(again.revised.isEmpty)
    }
  }

  @Test func `is asked, though it begins with instructions alone`() async throws {
    try await withStoredTurn { session in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("2.")]]),
        instructions: "Be short. So far the person asked for one.")
      try await keeper.turn("two", in: model) { try await model.respond(to: "two") }
      #expect(
        try await session.said() == [
          "instructions: Be short. So far the person asked for one.", "prompt: one",
          "response: 1.", "prompt: two", "response: 2.",
        ])
      #expect(try await session.revisions(of: 0).map(\.entry.text) == ["Be kind."])
    }
  }

  @Test func `is heard where the app changed the text of the instructions and not their id`()
    async throws
  {
    try await withStoredTurn { session in
      let keeper = Keeper(session)
      let given = try await keeper.transcript()
      guard case .instructions(var first)? = given.first else { throw Rotten() }
      first.segments = [.text(.init(content: "Be brief."))]
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("2.")]]),
        transcript: Transcript(entries: [.instructions(first)] + given.dropFirst()))
      try await keeper.turn("two", in: model) { try await model.respond(to: "two") }
      #expect(try await session.entry(at: 0).text == "Be brief.")
      #expect(try await session.count() == 5)
    }
  }

  @Test func `in a lane without instructions has its own, in the turn that used them first`()
    async throws
  {
    try await withStoredTurn { session in
      let keeper = Keeper(session, lane: "title")
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("Counting")], [.say("Counting on")]]),
        instructions: "Find a title.")
      for text in ["title", "again"] {
        try await keeper.turn(text, in: model) { try await model.respond(to: text) }
      }
      let entries = try await session.entries.all()
      #expect(
        try await session.said() == [
          "instructions: Be kind.", "prompt: one", "response: 1.", "instructions: Find a title.",
          "prompt: title", "response: Counting", "prompt: again", "response: Counting on",
        ])
      #expect(entries.suffix(5).allSatisfy { $0.lane == "title" })
      #expect(entries[3].turn == entries[4].turn)
      #expect(try await session.revisions(of: 0).isEmpty)
    }
  }

  @Test func `is kept to its last word where the app tells another story than the stored one`()
    async throws
  {
    try await withStoredTurn { session in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [.call([Fruit.call("banana")]), .say { "Here: \($0[0])" }], [.say("3.")],
        ]), tools: [keeper.keeping(Draw())],
        transcript: Transcript(entries: [
          .prompt(.init(segments: [.text(.init(content: "So far: one."))])),
          .response(.init(assetIDs: [], segments: [.text(.init(content: "Yes."))])),
        ]))
      let answer = try await keeper.turn("two", in: model) { try await model.respond(to: "two") }
      #expect(answer.content.hasPrefix("Here: "))
      try await keeper.turn("three", in: model) { try await model.respond(to: "three") }
      let entries = try await session.entries.all()
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .response, .prompt, .toolCalls, .toolOutput, .response, .prompt,
          .response,
        ])
      #expect(entries[6].text == answer.content)
      #expect(entries[5].attachments.map(\.basis) == [.explicit])
      let turns = try await session.turns()
      #expect(turns.map(\.outcome) == [.answered, .answered, .answered])
      #expect(turns[1].detail?.contains("position 1") == true)
    }
  }

  @Test func `becomes a fork before it is asked, where the app asked for one`() async throws {
    try await withStoredTurn { session in
      let keeper = Keeper(session, ifDiverging: .fork)
      let given = try await keeper.transcript()
      // The answer was generated again.
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [.call([Fruit.call("banana")]), .say { "Here: \($0[0])" }], [.say("3.")],
        ]), tools: [keeper.keeping(Draw())],
        transcript: Transcript(
          entries: given.dropLast() + [
            .response(.init(assetIDs: [], segments: [.text(.init(content: "One."))]))
          ]))
      for text in ["two", "three"] {
        try await keeper.turn(text, in: model) { try await model.respond(to: text) }
      }
      let fork = keeper.session
      #expect(fork.id != session.id)
      #expect(
        try await session.said() == ["instructions: Be kind.", "prompt: one", "response: 1."])
      let entries = try await fork.entries.all()
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .response, .prompt, .toolCalls, .toolOutput, .response, .prompt,
          .response,
        ])
      #expect(entries[2].text == "One.")
      #expect(entries[5].attachments.map(\.basis) == [.explicit])
      // The fork shares only the prompt of its first turn, and so has no outcome for it.
      #expect(try await fork.turns().map(\.outcome) == [nil, .answered, .answered])
      #expect(try await fork.turns().map(\.detail) == [nil, nil, nil])
      #expect(try await session.invocations().isEmpty)
      #expect(try await session.turns().count == 1)
    }
  }

  @Test func `is kept where the app put an entry of its own behind the prompt`() async throws {
    try await withStoredTurn { session in
      let keeper = Keeper(session)
      let given = try await keeper.transcript()
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("2.")]]), transcript: given)
      let answer = try await keeper.turn("two", in: model) {
        try await session.append(.response("an answer of the app's own"))
        return try await model.respond(to: "two").content
      }
      #expect(answer == "2.")
      #expect(
        try await session.said().suffix(3) == [
          "prompt: two", "response: an answer of the app's own", "response: 2.",
        ])
      #expect(try await session.turns().map(\.outcome) == [.answered, .answered])
    }
  }

  @Test func `by the options of resuming is recorded with the turn that used it`() async throws {
    try await withSession { session, _, _ in
      try await session.append([.prompt("one"), .response("1.")])
      let keeper = Keeper(session)
      var options = Resumption.Options()
      options.instructions = "Be kind."
      let given = try await keeper.resume(options).transcript
      #expect(try await session.count() == 2)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.say("2.")], [.say("3.")]]), transcript: given)
      for text in ["two", "three"] {
        try await keeper.turn(text, in: model) { try await model.respond(to: text) }
      }
      let entries = try await session.entries.all()
      #expect(
        entries.map(\.kind) == [
          .prompt, .response, .instructions, .prompt, .response, .prompt, .response,
        ])
      #expect(entries[2].text == "Be kind.")
      #expect(entries[2].turn == entries[3].turn)
      // The next keeper gives them first, and no others.
      options.instructions = "Be short."
      let next = try await Keeper(session).resume(options).transcript
      #expect(next.map(\.id) == model.transcript.map(\.id))
    }
  }
}
