import KeepsakeFiles
import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite("Fitting a budget")
struct FittingTests {
  private static func session(_ store: Store, turns: Int) async throws -> Session {
    let session = try await store.createSession()
    var entries: [Entry] = [.instructions("Be kind.")]
    for turn in 0..<turns {
      let call = Entry.ToolCall(id: "\(turn)", tool: "Draw")
      entries += [
        .prompt("prompt \(turn)"), .toolCalls([call]), .toolOutput(for: call, text: "made"),
        .response("response \(turn)"),
      ]
    }
    try await session.append(entries)
    return session
  }

  @Test func `whole turns go from the front, and the caller's counter is asked few times`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await Self.session(store, turns: 100)
      let calls = Locked(0)
      var options = Resumption.Options()
      options.budget = .init(limit: 42, reserve: 0) { entries in
        calls.withLock { $0 += 1 }
        return entries.count
      }
      let resumed = try await session.resume(options)
      #expect(resumed.tokens == 41)
      #expect(resumed.entries.map(\.position) == [0] + Array(361...400))
      #expect(resumed.notes.map(\.reason) == Array(repeating: .overBudget, count: 360))
      #expect(calls.withLock { $0 } <= 7 + 3)
    }
  }

  @Test func `room is left for the next prompt and the answer`() async throws {
    try await withTemporaryStore { store in
      let session = try await Self.session(store, turns: 500)
      let counted: @Sendable ([Entry]) -> Int = { $0.reduce(0) { $0 + $1.estimatedTokens } }
      for budget in [.tokens(4096), Resumption.Budget(limit: 4096, counter: counted)] {
        let resumed = try await session.resume(.init(budget: budget))
        let tokens = try #require(resumed.tokens)
        #expect(tokens <= 3072)
        #expect(tokens > 3000)
      }
    }
  }

  @Test func `the schemas of tools are counted, once`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var instructions = Entry.instructions("Draw.")
      instructions.toolDefinitions = try JSON(
        validating: #"[{"type": "function", "function": {"name": "Draw"}}]"#)
      try await session.append(instructions)
      for turn in 0..<100 {
        try await session.append([.prompt("prompt \(turn)"), .response("response \(turn)")])
      }
      var budget = Resumption.Budget.tokens(1_000, reserving: 0)
      let alone = try #require(try await session.resume(.init(budget: budget)).tokens)
      // The instructions describe it, and are counted.
      budget.tools = ["Draw": 500]
      #expect(try await session.resume(.init(budget: budget)).tokens == alone)
      budget.tools = ["Draw": 500, "Sing": 300]
      let tokens = try #require(try await session.resume(.init(budget: budget)).tokens)
      #expect(tokens <= 700)
      #expect(tokens > 650)
      budget.tools["Sing"] = 990
      let error = await #expect(throws: KeepsakeError.self) {
        try await session.resume(.init(budget: budget))
      }
      #expect(error?.message.contains("the schemas of the tools take 990") == true)
    }
  }

  @Test func `the estimate drops the same turns that counting all of them would`() async throws {
    try await withTemporaryStore { store in
      let session = try await Self.session(store, turns: 50)
      for limit in stride(from: 60, through: 1_600, by: 70) {
        let estimated = try await session.resume(.init(budget: .tokens(limit)))
        let counted = try await session.resume(
          .init(budget: .init(limit: limit) { $0.reduce(0) { $0 + $1.estimatedTokens } }))
        #expect(estimated.entries == counted.entries)
        #expect(estimated.tokens == counted.tokens)
      }
    }
  }

  @Test func `turns that don't fit are condensed, and the summary counts`() async throws {
    try await withTemporaryStore { store in
      let session = try await Self.session(store, turns: 10)
      var options = Resumption.Options()
      options.budget = .init(limit: 21, reserve: 0, counter: { $0.count }) { turns in
        "\(turns.count) turns, from \(turns[0][0].text)"
      }
      let resumed = try await session.resume(options)
      #expect(resumed.entries[1].text == "6 turns, from prompt 0")
      #expect(resumed.entries[1].kind == .prompt)
      #expect(resumed.entries.count == 18)
      #expect(resumed.tokens == 18)
      #expect(Set(resumed.notes.map(\.reason)) == [.condensed])
    }
  }

  @Test
  func `words take the place of the newest turn's images, the oldest first, before it is refused`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let png = Data(base64Encoded: Pixel.png) ?? Data()
      try await session.append([.instructions("x"), .prompt("old"), .response("old")])
      try await session.append(
        .prompt("which?"),
        attaching: (1...3).map {
          Entry.NewAttachment(.data(png + [UInt8($0)]), label: "image_\($0)", caption: "no. \($0)")
        })
      let resumed = try await session.resume(.init(budget: .tokens(1_500, reserving: 0)))
      #expect(
        resumed.entries[1].segments.map(\.text) == [
          "which?", "[image_1: no. 1]", "[image_2: no. 2]", nil,
        ])
      #expect(
        resumed.notes.map(\.reason) == [
          .overBudget, .overBudget, .image("image_1"), .image("image_2"),
        ])
      #expect((resumed.tokens ?? .max) <= 1_500)
      let least = try await session.resume(.init(budget: .tokens(50, reserving: 0))).tokens ?? 0
      for reserve in [nil, 0, 7] {
        let low = Resumption.Budget.tokens(least - 1, reserving: reserve)
        let error = await #expect(throws: KeepsakeError.self) {
          try await session.resume(.init(budget: low))
        }
        #expect(error?.code == .tooLarge)
        // What the error asks for is enough, and one less is not.
        let limit = low.limit(for: least)
        #expect(error?.message.contains("at least \(limit).") == true)
        #expect(Resumption.Budget.tokens(limit, reserving: reserve).room(beside: 0) >= least)
        #expect(Resumption.Budget.tokens(limit - 1, reserving: reserve).room(beside: 0) < least)
      }
    }
  }

  /// A session as it may have come about: turns, calls with and without outputs, failures, repeated ids.
  private static func random(_ random: inout SeededGenerator) -> [Entry] {
    var entries: [Entry] = []
    if Bool.random(using: &random) { entries.append(.instructions("Be kind.")) }
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let id = "\(Int.random(in: 0..<6, using: &random))"
      var entry: Entry
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1, 2: entry = .prompt("prompt")
      case 3:
        entry = .toolCalls(
          (0...Int.random(in: 0...2, using: &random)).map { .init(id: "\(id)\($0 / 2)", tool: "T") }
        )
      case 4, 5: entry = .toolOutput(callID: "\(id)0", tool: "T", segments: [.text("output")])
      case 6: entry = .event("event")
      case 7: entry = .instructions("more")
      case 8: entry = .reasoning("hm")
      default: entry = .response("response")
      }
      entry.status = Entry.Status.allCases[max(0, Int.random(in: -20...4, using: &random))]
      if Int.random(in: 0..<12, using: &random) == 0 { entry.visibility = .person }
      if Int.random(in: 0..<12, using: &random) == 0 { entry.visibility = .model }
      if Int.random(in: 0..<12, using: &random) == 0 { entry.lane = "other" }
      entries.append(entry)
    }
    for index in entries.indices {
      entries[index].position = index
      if index > 0, Int.random(in: 0..<20, using: &random) == 0 {
        entries[index].isErased = true
        entries[index].segments = []
        entries[index].toolCalls = []
        entries[index].callID = nil
      }
    }
    return entries
  }

  @Test(arguments: 0..<40)
  func `random sessions go out whole, in order, in pairs and within their budget`(_ round: UInt64)
    async throws
  {
    var fitted = 0
    for step in 0..<25 {
      let seed = round * 1_000 + UInt64(step)
      var random = SeededGenerator(seed: seed)
      let entries = Self.random(&random)
      let limit = Int.random(in: 1...70, using: &random)
      var options = Resumption.Options(lane: Bool.random(using: &random) ? "chat" : nil)
      options.budget = .init(limit: limit, reserve: 0) { $0.count }
      let resumed: Resumption
      do {
        resumed = try await Resumption(
          entries, outcomes: entries.map { _ in nil }, options: options)
      } catch let error as KeepsakeError where error.code == .tooLarge { continue }
      fitted += 1
      let out = resumed.entries
      #expect(out.count <= limit && resumed.tokens == out.count, "seed \(seed)")

      // Nothing vanishes, and nothing is both here and not.
      let kept = out.compactMap(\.position)
      let left = resumed.notes.filter { $0.action == .leftOut }.compactMap(\.position)
      #expect((kept + left).sorted() == Array(entries.indices), "seed \(seed)")

      let moved = resumed.notes.contains { $0.action == .repaired && $0.reason == .noInstructions }
      let order = moved ? Array(kept.dropFirst()) : kept
      #expect(order == order.sorted(), "seed \(seed)")
      if out.contains(where: { $0.kind == .instructions }) {
        #expect(out[0].kind == .instructions, "seed \(seed)")
      }

      // Each call has an output behind it, each output a call before it.
      let pairs = CallPairs(out)
      for (index, entry) in out.enumerated() {
        for ordinal in entry.toolCalls.indices {
          let outputs = pairs.outputs[.init(entry: index, ordinal: ordinal)] ?? []
          #expect(!outputs.isEmpty, "seed \(seed), call at \(index)")
        }
        if entry.kind == .toolOutput { #expect(pairs.calls[index] != nil, "seed \(seed)") }
      }
    }
    #expect(fitted > 0)
  }

  @Test func `resuming ten thousand entries costs a few times what reading them does, and no more`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await Self.session(store, turns: 2_500)
      let clock = ContinuousClock()
      var reading = Duration.seconds(100)
      var resuming = Duration.seconds(100)
      for _ in 0..<5 {
        reading = min(
          reading, try await clock.measure { _ = try await session.entries.all() })
        resuming = min(
          resuming,
          try await clock.measure { _ = try await session.resume(.init(budget: .tokens(4_096))) })
      }
      #expect(resuming < reading * 8, "read: \(reading), resume: \(resuming)")
    }
  }
}
