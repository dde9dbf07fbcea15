import KeepsakeFiles
import Foundation
import FoundationModels
import Keepsake
import Testing

@testable import KeepsakeFoundationModels

struct `A turn with a model` {
  @Test func `is kept whole: prompt, calls, outputs, artifacts and answer`() async throws {
    try await withSession { session, store, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [
            .call([Fruit.call("banana"), Fruit.call("cherry")]),
            .say { "Here: \($0.joined(separator: ", "))" },
          ]
        ]), tools: [keeper.keeping(Draw())], instructions: "Draw fruit.")
      let answer = try await keeper.turn("a banana and a cherry", in: model) {
        try await model.respond(to: "a banana and a cherry").content
      }
      let entries = try await session.entries.all()
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .toolCalls, .toolOutput, .toolOutput, .response,
        ])
      #expect(entries[5].text == answer)
      for output in [entries[3], entries[4]] {
        let image = try #require(output.attachments.first)
        #expect(output.text.contains(image.label))
        #expect(image.basis == .explicit)
        #expect(image.call?.position == 2)
      }
      let runs = try await session.invocations()
      #expect(runs.map(\.outcome) == [.finished, .finished])
      #expect(runs.allSatisfy { $0.basis == .explicit && $0.turn == 1 })
      let turn = try #require(try await session.turns().first)
      #expect(turn.outcome == .answered)
      #expect(turn.attempts == 1)
      #expect(try otherVerifierStatus(of: store) == 0)
      #expect(try await keeper.transcript().json == model.transcript.json)
    }
  }

  @Test func `shares nothing with another keeper's turn that it overlaps`() async throws {
    try await withSession { session, store, _ in
      let keepers = [Keeper(session, lane: "chat"), Keeper(session, lane: "title")]
      let models = keepers.map { keeper in
        LanguageModelSession(
          model: SystemLanguageModel(script: [
            [.call([Fruit.call("banana")]), .say { $0.joined() }]
          ]), tools: [keeper.keeping(Draw())])
      }
      try await keepers[0].turn("a banana", in: models[0]) {
        try await keepers[1].turn("a title", in: models[1]) {
          try await models[1].respond(to: "a title")
        }
        return try await models[0].respond(to: "a banana")
      }
      for (turn, lane) in [(1, "chat"), (2, "title")] {
        // The instructions, which say the tools, stand with whoever told them first.
        let entries = try await session.entries(ofTurn: turn).filter { $0.kind != .instructions }
        #expect(entries.map(\.kind) == [.prompt, .toolCalls, .toolOutput, .response])
        #expect(entries.allSatisfy { $0.lane == lane })
        let image = try #require(entries[2].attachments.first)
        #expect(entries[2].text.contains(image.label))
        let run = try await session.invocations().first { $0.id == image.invocation }
        #expect(run?.turn == turn)
        #expect(run?.basis == image.basis)
      }
      #expect(try await session.turns().map(\.outcome) == [.answered, .answered])
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `gives calls that are equal their own runs`() async throws {
    try await withSession { session, store, _ in
      let keeper = Keeper(session)
      let calls = [Fruit.call("banana"), Fruit.call("banana"), Fruit.call("banana")]
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.call(calls), .say("Three bananas.")]]),
        tools: [keeper.keeping(Draw())])
      try await keeper.turn("three", in: model) { try await model.respond(to: "three") }
      let entries = try await session.entries.all()
      let outputs = entries.filter { $0.kind == .toolOutput }
      #expect(outputs.count == 3)
      for output in outputs {
        #expect(output.attachments.count == 1)
        #expect(output.text.contains(output.attachments[0].label))
      }
      #expect(Set(outputs.compactMap { $0.attachments[0].artifact?.id }).count == 3)
      for output in outputs {
        let artifact = try #require(output.attachments[0].artifact)
        let trail = try await store.audit(artifact.id)
        #expect(trail.attachments.map(\.tool) == ["Draw"])
        #expect(trail.attachments.first?.prompt?.text == "three")
      }
    }
  }

  @Test func `that fails in a tool and is asked again keeps everything once`() async throws {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let calls = [Fruit.call("banana"), Fruit.call("banana"), Fruit.call("cherry")]
      let isFirst = Flag()
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [.call(calls), .say("never")], [.call(calls), .say("Done.")],
        ]),
        tools: [
          keeper.keeping(Draw(isRotten: { $0.content == "cherry" && isFirst.take() }))
        ], instructions: "Draw fruit.")
      await #expect(throws: LanguageModelSession.ToolCallError.self) {
        try await keeper.turn("fruit", in: model) { try await model.respond(to: "fruit") }
      }
      #expect(try await session.said() == ["instructions: Draw fruit.", "prompt: fruit"])
      try await keeper.turn("fruit", in: model) { try await model.respond(to: "fruit") }
      // Saving once more adds nothing.
      let again = try await keeper.save(model.transcript)
      #expect(again.appended.isEmpty)
      #expect(again.revised.isEmpty)

      let entries = try await session.entries.all()
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .prompt, .toolCalls, .toolOutput, .toolOutput, .toolOutput,
          .response,
        ])
      let turns = try await session.turns()
      #expect(turns.map(\.outcome) == [.failed, .answered])
      #expect(turns[0].detail?.contains("Draw") == true)
      let runs = try await session.invocations()
      #expect(runs.count == 6)
      #expect(runs.filter { $0.turn == 1 }.allSatisfy { $0.call == nil })
      #expect(runs.filter { $0.turn == 2 }.allSatisfy { $0.call?.position == 3 })
      #expect(runs.count { $0.outcome == .failed } == 1)
      let attachments = try await session.attachments()
      #expect(attachments.count == 6)
      #expect(attachments.allSatisfy { $0.artifact != nil && $0.invocation != nil })
      #expect(attachments.count { $0.position == nil } == 3)
      #expect(try await keeper.transcript().json == model.transcript.json)
    }
  }

  @Test func `is tried as often as the app wants, and the tries are counted`() async throws {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let busy = LanguageModelSession.GenerationError.rateLimited(.init(debugDescription: "busy"))
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.fail(busy)], [.fail(busy)], [.say("Hello.")]]))
      try await keeper.turn("hi", in: model, retrying: { _, attempts in attempts < 5 }) {
        try await model.respond(to: "hi")
      }
      #expect(try await session.said() == ["prompt: hi", "response: Hello."])
      #expect(try await session.turns().map(\.attempts) == [3])
    }
  }

  static let endings: [(any Error & Sendable, Turn.Outcome, String)] = [
    (
      LanguageModelSession.GenerationError.refusal(
        .init(transcriptEntries: [
          .response(.init(assetIDs: [], segments: [.text(.init(content: "I draw no plums."))]))
        ]), .init(debugDescription: "refused")), .refused, "I draw no plums."
    ),
    (
      LanguageModelSession.GenerationError.refusal(
        .init(transcriptEntries: []), .init(debugDescription: "refused")), .refused, "refused"
    ),
    (
      LanguageModelSession.GenerationError.guardrailViolation(.init(debugDescription: "unsafe")),
      .refused, "A guardrail stopped it: unsafe"
    ),
    (
      LanguageModelSession.GenerationError.exceededContextWindowSize(
        .init(debugDescription: "5,000 tokens")), .failed,
      "The context window was exceeded: 5,000 tokens"
    ),
    // What OS 27 throws.
    (
      LanguageModelError.refusal(
        .init(explanation: "I draw no plums.", debugDescription: "refused")), .refused,
      "I draw no plums."
    ),
    (
      LanguageModelError.refusal(.init(explanation: "", debugDescription: "refused")), .refused,
      "refused"
    ),
    (
      LanguageModelError.guardrailViolation(.init(debugDescription: "unsafe")), .refused,
      "A guardrail stopped it: unsafe"
    ),
    (
      LanguageModelError.contextSizeExceeded(
        .init(contextSize: 4_096, tokenCount: 5_000, debugDescription: "5,000 tokens")), .failed,
      "The context window was exceeded: 5,000 tokens"
    ),
    (
      LanguageModelError.timeout(.init(debugDescription: "too slow")), .failed,
      "The model failed (timeout): too slow"
    ),
    (Rotten(), .failed, "Rotten()"),
  ]

  @Test(arguments: 0..<endings.count)
  func `that brings no answer is closed with what happened`(_ number: Int) async throws {
    let (error, outcome, detail) = Self.endings[number]
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(model: SystemLanguageModel(script: [[.fail(error)]]))
      await #expect(throws: (any Error).self) {
        try await keeper.turn("a plum", in: model) { try await model.respond(to: "a plum") }
      }
      let turn = try #require(try await session.turns().first)
      #expect(turn.outcome == outcome)
      #expect(turn.detail == detail)
      #expect(turn.closed != nil)
    }
  }

  @Test func `has what it took, and the name of the model, with its answer`() async throws {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let system = SystemLanguageModel(
        script: [[.say("1.")], [.think("two?"), .stream(["2", "2."])]],
        usage: .init(
          input: .init(totalTokenCount: 30, cachedTokenCount: 20),
          output: .init(totalTokenCount: 7, reasoningTokenCount: 3)), variant: "AFM 3 Core")
      let transcript = try await keeper.transcript(for: system)
      let model = LanguageModelSession(model: system, transcript: transcript)
      try await keeper.turn("one", in: model) { try await model.respond(to: "one") }
      try await keeper.streaming("two", in: model) { model.streamResponse(to: "two") }
      let entries = try await session.entries.all()
      let took = try JSON(
        validating: """
          {"input": {"totalTokenCount": 30, "cachedTokenCount": 20}, \
          "output": {"totalTokenCount": 7, "reasoningTokenCount": 3}}
          """)
      #expect(entries.map(\.kind) == [.prompt, .response, .prompt, .reasoning, .response])
      for entry in entries where entry.kind == .response {
        #expect(entry.usage?.source?.isEquivalent(to: took) == true)
      }
      #expect(
        entries.map(\.model) == [nil, "AFM 3 Core", nil, "AFM 3 Core", "AFM 3 Core"])
      #expect(try await session.summary().model == "AFM 3 Core")
      let again = try await keeper.save(model.transcript)
      #expect(again.appended.isEmpty)
      #expect(again.revised.isEmpty)
    }
  }

  @Test func `that is cancelled is closed as cancelled, and its tool's run too`() async throws {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.call([Fruit.call("banana")]), .hang]]),
        tools: [keeper.keeping(Draw())])
      let turn = Task {
        try await keeper.turn("one", in: model) { try await model.respond(to: "one").content }
      }
      // The tool has run when its output is recorded.
      while try await session.invocations().first?.outcome == nil { await Task.yield() }
      turn.cancel()
      await #expect(throws: CancellationError.self) { try await turn.value }
      #expect(try await session.turns().map(\.outcome) == [.cancelled])
      #expect(try await session.attachments().count == 1)
    }
  }

  @Test func `that is cancelled when the answer has come is kept whole`() async throws {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(model: SystemLanguageModel(script: [[.say("Yes.")]]))
      let hasAnswered = Locked(false)
      let turn = Task {
        try await keeper.turn("ripe?", in: model) {
          let answer = try await model.respond(to: "The person asks: ripe?").content
          hasAnswered.withLock { $0 = true }
          while !Task.isCancelled { await Task.yield() }
          return answer
        }
      }
      while !hasAnswered.withLock({ $0 }) { await Task.yield() }
      turn.cancel()
      let answer = try await turn.value
      #expect(answer == "Yes.")
      #expect(try await session.said() == ["prompt: The person asks: ripe?", "response: Yes."])
      #expect(try await session.turns().map(\.outcome) == [.answered])
    }
  }

  @Test func `keeps what the model was given where the app put more around it`() async throws {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(model: SystemLanguageModel(script: [[.say("Yes.")]]))
      try await keeper.turn("ripe?", in: model) {
        try await model.respond(to: "The person asks: ripe?")
      }
      #expect(try await session.said() == ["prompt: The person asks: ripe?", "response: Yes."])
      #expect(try await session.revisions(of: 0).map(\.entry.text) == ["ripe?"])
      #expect(try await keeper.transcript().json == model.transcript.json)
    }
  }
}

/// True for the first who takes it.
final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var isTaken = false

  func take() -> Bool {
    lock.withLock {
      defer { isTaken = true }
      return !isTaken
    }
  }
}
