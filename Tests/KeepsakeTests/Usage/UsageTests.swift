import Foundation
import Testing

@testable import Keepsake

@Suite("What answers took")
struct UsageTests {
  /// What services report of 100 tokens read, 60 of them from a cache, and 30 written, 10 of them reasoning.
  static let reports: [String] = [
    #"{"prompt_tokens":100,"completion_tokens":30,"total_tokens":130,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":10}}"#,
    #"{"input_tokens":25,"cache_creation_input_tokens":15,"cache_read_input_tokens":60,"output_tokens":30,"output_tokens_details":{"thinking_tokens":10}}"#,
    #"{"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":30,"output_tokens_details":{"reasoning_tokens":10},"total_tokens":130}"#,
    #"{"input_tokens":100,"cached_input_tokens":60,"output_tokens":30,"reasoning_output_tokens":10,"total_tokens":130}"#,
    #"{"input_tokens":100,"output_tokens":30,"input_token_details":{"cache_read":60},"output_token_details":{"reasoning":10}}"#,
    #"{"promptTokenCount":90,"toolUsePromptTokenCount":10,"cachedContentTokenCount":60,"candidatesTokenCount":20,"thoughtsTokenCount":10}"#,
    #"{"prompt_token_count":100,"cached_content_token_count":60,"candidates_token_count":20,"thoughts_token_count":10}"#,
    #"{"input":90,"output":20,"cached":60,"thoughts":10,"tool":10,"total":130}"#,
    #"{"inputTokens":100,"outputTokens":30,"cachedInputTokens":60,"reasoningTokens":10}"#,
    #"{"inputTokens":{"total":100,"cacheRead":60},"outputTokens":{"total":30,"reasoning":10}}"#,
    #"{"input":{"totalTokenCount":100,"cachedTokenCount":60},"output":{"totalTokenCount":30,"reasoningTokenCount":10}}"#,
    #"{"input":100,"cachedInput":60,"output":30,"reasoning":10}"#,
  ]

  @Test(
    "Every service's report comes to the same numbers, and is kept to the letter",
    arguments: reports)
  func report(text: String) async throws {
    let report = try JSON(validating: text)
    let usage = Usage(reported: report)
    #expect(usage.input == 100)
    #expect(usage.cachedInput == 60)
    #expect(usage.output == 30)
    #expect(usage.reasoning == 10)
    var answer = Entry.response("here")
    answer.usage = usage
    #expect(answer.rawUsage == report)
    #expect(answer.usage == usage)
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(answer)
      let stored = try await session.entry(at: 0)
      #expect(stored.usage == usage)
      #expect(stored.rawUsage == report)
    }
  }

  @Test("What nobody knows is kept, and counts nothing")
  func unknown() throws {
    for text in [#"{"tokens":7}"#, "[1]", "3", #"{"input":-1}"#, #"{"input":"many"}"#, "{}"] {
      let report = try JSON(validating: text)
      var entry = Entry.response("x")
      entry.usage = Usage(reported: report)
      #expect(entry.rawUsage == report, "\(text)")
      #expect(entry.usage?.input == nil)
    }
    #expect(Usage(reported: ["prompt_tokens": 5, "cost_usd": 0.25]).cost == .init(0.25, "USD"))
    let most = Usage(reported: [
      "input_tokens": 9_223_372_036_854_775_807, "cache_read_input_tokens": 1,
    ])
    #expect(most.input == nil)
  }

  @Test("An app's own numbers and costs come back exactly, beside what the source said")
  func own() throws {
    let amount = try #require(Decimal(string: "0.000000123456789012"))
    let usage = Usage(
      input: 5, output: 7, cost: .init(amount, "EUR"), source: ["billed": "yes", "tokens": 12])
    var entry = Entry.response("x")
    entry.usage = usage
    #expect(entry.usage == usage)
    #expect(entry.usage?.source?.text == #"{"billed":"yes","tokens":12}"#)
    entry.usage = nil
    #expect(entry.rawUsage == nil && entry.rare == nil)
  }

  @Test("Sums are by model, session and day; what forks share counts once")
  func sums() async throws {
    try await withTemporaryStore { store in
      let day = Date(timeIntervalSince1970: 1_763_000_000)
      func answer(_ model: String?, _ input: Int, after days: Double?, _ cost: Decimal? = nil)
        -> Entry
      {
        var entry = Entry.response("\"usage\": none")
        entry.model = model
        entry.created = days.map { day.addingTimeInterval($0 * 86_400) }
        entry.usage = Usage(
          input: input, cachedInput: 1, output: 2, reasoning: 1,
          cost: cost.map { .init($0, "USD") })
        return entry
      }
      let fruit = try await store.createSession(title: "Fruit")
      try await fruit.append([
        .prompt("a"), answer("m-1", 10, after: 0, 1.5), answer("m-2", 20, after: 1, 0.25),
      ])
      var other = answer("m-1", 5, after: 1)
      other.usage?.cost = .init(3, "EUR")
      try await fruit.append(other)
      let fork = try await fruit.fork(before: 3)
      try await fork.append(answer(nil, 40, after: nil))

      let models = try await store.usage(by: .model)
      #expect(models.map(\.name) == [nil, "m-2", "m-1"])
      #expect(models.map(\.total.input) == [40, 20, 15])
      #expect(models[2].total.entries == 2)
      #expect(models[2].total.output == 4)
      #expect(models[2].total.costs == [.init(3, "EUR"), .init(1.5, "USD")])

      let sessions = try await store.usage(by: .session)
      #expect(sessions.map(\.total.input) == [40, 35])
      #expect(sessions.map(\.title) == ["Fruit … from 3", "Fruit"])
      #expect(sessions[1].name == fruit.id.uuidString.lowercased())

      #expect(try await store.usage(by: .origin).map(\.total.input) == [75])
      var calling = Entry.toolCalls([
        .init(tool: "Draw", arguments: "{}"), .init(tool: "Draw", arguments: "{}"),
        .init(tool: "Look", arguments: "{}"),
      ])
      calling.usage = Usage(input: 1)
      let caller = try await store.createSession()
      try await caller.append(calling)
      #expect(
        try await store.usage(by: .tool).map { "\($0.name ?? "none") \($0.total.input)" } == [
          "none 75", "Draw 1", "Look 1",
        ])
      try await store.deleteSession(caller.id)

      let days = try await store.usage(by: .day)
      #expect(days.map(\.name) == [nil, "2025-11-13", "2025-11-14"])
      #expect(days.map(\.total.input) == [40, 10, 25])
      let east = try #require(TimeZone(secondsFromGMT: 10 * 3600))
      #expect(
        try await store.usage(by: .day(in: east)).map(\.name) == [nil, "2025-11-13", "2025-11-14"])
      let farEast = try #require(TimeZone(secondsFromGMT: 13 * 3600))
      #expect(
        try await store.usage(by: .day(in: farEast)).map(\.name) == [
          nil, "2025-11-13", "2025-11-14",
        ])
      let late = try #require(TimeZone(secondsFromGMT: -5 * 3600))
      #expect(
        try await store.usage(by: .day(in: late)).map(\.name) == [nil, "2025-11-12", "2025-11-13"])

      let second = day.addingTimeInterval(86_400)
      #expect(try await store.usage(by: .day, since: second).map(\.total.input) == [25])
      #expect(try await store.usage(by: .day, until: second).map(\.total.input) == [10])

      #expect(try await fruit.usage().input == 35)
      #expect(try await fork.usage().input == 70)
      #expect(try await fork.usage().entries == 3)

      try await store.deleteSession(fruit.id)
      let kept = try await store.usage(by: .session)
      #expect(kept.map(\.name) == [fork.id.uuidString.lowercased(), nil])
      #expect(kept.map(\.total.input) == [40, 30])
    }
  }
}
