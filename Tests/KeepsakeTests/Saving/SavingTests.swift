import Foundation
import Testing

@testable import Keepsake

@Suite("Saving a whole transcript")
struct SavingTests {
  private func entry(_ key: String, _ make: () -> Entry) -> Entry {
    var entry = make()
    entry.key = key
    return entry
  }

  private func chat(_ turns: Int) -> [Entry] {
    var list = [entry("i") { .instructions("Be kind.") }]
    for turn in 0..<turns {
      list.append(entry("p\(turn)") { .prompt("question \(turn)") })
      list.append(entry("r\(turn)") { .response("answer \(turn)") })
    }
    return list
  }

  private func withSession(_ body: (Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in try await body(try await store.createSession()) }
  }

  @Test func `a saved list is stored whole, and saving it again writes nothing`() async throws {
    try await withSession { session in
      #expect(try await session.save(chat(3)).appended == 0..<7)
      let before = try await session.summary()
      let again = try await session.save(chat(3))
      #expect(again.appended.isEmpty)
      #expect(again.revised.isEmpty)
      #expect(try await session.summary() == before)
    }
  }

  @Test func `a list that grew adds what is new`() async throws {
    try await withSession { session in
      try await session.save(chat(2))
      #expect(try await session.save(chat(4)).appended == 5..<9)
      let texts = try await session.entries.all().map(\.text)
      #expect(texts == chat(4).map(\.text))
    }
  }

  @Test func `a trimmed front removes nothing`() async throws {
    try await withSession { session in
      try await session.save(chat(4))
      let list = [chat(5)[0]] + chat(5).suffix(4)
      #expect(try await session.save(list).appended == 9..<11)
      #expect(try await session.count() == 11)
    }
  }

  @Test func `a changed entry becomes a revision`() async throws {
    try await withSession { session in
      try await session.save(chat(2))
      var list = chat(2)
      list[4].segments = [.text("answer 1, better")]
      #expect(try await session.save(list).revised == [4])
      #expect(try await session.entry(at: 4).text == "answer 1, better")
      #expect(try await session.revisions(of: 4).map(\.entry.text) == ["answer 1"])
    }
  }

  @Test func `an answer that was generated again diverges, and becomes a fork when asked`()
    async throws
  {
    try await withSession { session in
      try await session.save(chat(2))
      var list = chat(2)
      list[4] = entry("other") { .response("another answer") }
      await #expect(throws: KeepsakeError.self) { try await session.save(list) }
      #expect(try await session.count() == 5)
      let result = try await session.save(list, ifDiverging: .fork)
      #expect(result.session.id != session.id)
      #expect(try await result.session.entries.all().map(\.text) == list.map(\.text))
      #expect(try await session.entry(at: 4).text == "answer 1")
    }
  }

  @Test func `a prompt that was edited, and answered again, is the fork's, and the original stays`()
    async throws
  {
    try await withSession { session in
      try await session.save(chat(3))
      var list = Array(chat(2).prefix(4))
      list[3].segments = [.text("question 1, edited")]
      list.append(entry("other") { .response("another answer") })
      let error = await keepsakeError { try await session.save(list) }
      #expect(error?.code == .diverged)
      #expect(error?.message.contains("at position 3.") == true)
      let saved = try await session.save(list, ifDiverging: .fork)
      #expect(saved.appended == 3..<5)
      #expect(try await saved.session.entries.all().map(\.text) == list.map(\.text))
      #expect(try await session.entries.all().map(\.text) == chat(3).map(\.text))
      // A list that is saved in the fork diverges, too, if it changes an entry that the fork shares with the original.
      list[1].segments = [.text("question 0, edited")]
      #expect(await keepsakeError { try await saved.session.save(list) }?.code == .diverged)
      let third = try await saved.session.save(list, ifDiverging: .fork).session
      #expect(try await third.entries.all().map(\.text) == list.map(\.text))
      #expect(try await third.save(list).appended.isEmpty)
    }
  }

  @Test func `a list that changes what the store changed meanwhile becomes a fork`() async throws {
    try await withSession { session in
      try await session.save(chat(2))
      try await session.revise(1, to: .prompt("a question that was revised by others"))
      try await session.append(.prompt("and one more"))
      let list = chat(3)
      let saved = try await session.save(list, ifDiverging: .fork)
      #expect(try await saved.session.entries.all().map(\.text) == list.map(\.text))
      #expect(try await saved.session.save(list).revised.isEmpty)
    }
  }

  @Test(arguments: [
    Entry.response("Not a question"),
    .toolCalls([.init(id: "2", tool: "weather", arguments: "{}")]),
  ])
  func `an entry that becomes another one under its key diverges`(other: Entry) async throws {
    try await withSession { session in
      var list = chat(1)
      list.append(entry("calls") { .toolCalls([.init(id: "1", tool: "weather", arguments: "{}")]) })
      try await session.save(list)
      list[3] = entry("calls") { other }
      #expect(await keepsakeError { try await session.save(list) }?.code == .diverged)
      let saved = try await session.save(list, ifDiverging: .fork)
      #expect(saved.appended == 3..<4)
      #expect(try await saved.session.save(list).appended.isEmpty)
    }
  }

  @Test func `calls without keys that only differ in their ids are other calls`() async throws {
    func turn(_ id: String) -> [Entry] {
      [.prompt("How is it?"), .toolCalls([.init(id: id, tool: "weather", arguments: "{}")])]
    }
    try await withSession { session in
      try await session.save(turn("1"))
      let error = await keepsakeError { try await session.save(turn("2")) }
      #expect(error?.message.contains("at position 1.") == true)
      let saved = try await session.save(turn("2"), ifDiverging: .fork)
      #expect(try await saved.session.entries.all().flatMap(\.toolCalls).map(\.id) == ["2"])
    }
  }

  @Test func `instructions that changed are a revision, and what follows goes on`() async throws {
    try await withSession { session in
      try await session.save(chat(2))
      var list = chat(3)
      list[0] = entry("another") { .instructions("Be short.") }
      let result = try await session.save(list)
      #expect(result.revised == [0])
      #expect(result.appended == 5..<7)
      #expect(try await session.revisions(of: 0).map(\.entry.text) == ["Be kind."])
      let again = try await session.save(list)
      #expect(again.revised.isEmpty)
      #expect(again.appended.isEmpty)
      // The instructions alone, as an app begins that gives a summary.
      let alone = try await session.save([entry("third") { .instructions("Be brief.") }])
      #expect(alone.revised == [0])
      #expect(try await session.revisions(of: 0).map(\.entry.text) == ["Be kind.", "Be short."])
      #expect(try await session.count() == 7)
    }
  }

  @Test func `instructions that nobody stored yet stand before what is new`() async throws {
    try await withSession { session in
      try await session.append([.prompt("question 0"), .response("answer 0")])
      #expect(try await session.save(chat(2)).appended == 2..<5)
      #expect(
        try await session.entries.all().map(\.kind) == [
          .prompt, .response, .instructions, .prompt, .response,
        ])
      #expect(try await session.save(chat(2)).appended.isEmpty)
      #expect(try await session.save(chat(3)).appended == 5..<7)
    }
  }

  @Test func `instructions of a lane are its own, unless they say what all are told`() async throws
  {
    try await withSession { session in
      func list(_ lane: String, _ said: [Entry]) -> [Entry] {
        said.map {
          var entry = $0
          entry.lane = lane
          return entry
        }
      }
      func title(_ instructions: String) -> [Entry] {
        list(
          "title", [.instructions(instructions), .prompt("a title"), .response("Questions")])
      }
      try await session.append(.instructions("Be kind."))
      try await session.append(list("chat", [.prompt("question"), .response("answer")]))
      #expect(try await session.save(title("Be kind.")).appended == 3..<5)
      #expect(try await session.save(title("Find a title.")).appended == 5..<6)
      let entries = try await session.entries.all()
      #expect(entries[0].lane == nil)
      #expect(entries[5].text == "Find a title.")
      #expect(entries[5].lane == "title")
      #expect(try await session.save(title("Find a good one.")).revised == [5])
      #expect(try await session.revisions(of: 0).isEmpty)
    }
  }

  @Test func `instructions that changed in a fork leave those of its parent as they are`()
    async throws
  {
    try await withSession { session in
      try await session.save(chat(2))
      let fork = try await session.fork(before: 3)
      var list = chat(3)
      list[0] = entry("another") { .instructions("Be short.") }
      #expect(try await fork.save(list).appended == 3..<8)
      #expect(try await fork.entry(at: 3).text == "Be short.")
      list[0] = entry("third") { .instructions("Be brief.") }
      #expect(try await fork.save(list).revised == [3])
      #expect(try await session.entry(at: 0).text == "Be kind.")
      // A model is told what the fork says, and no more what it shares.
      let told = try await fork.resume().entries
      #expect(told.first?.text == "Be brief.")
      #expect(told.count { $0.kind == .instructions } == 1)
      #expect(try await session.resume().entries.first?.text == "Be kind.")
    }
  }

  @Test func `instructions that were erased stay erased, and what follows goes on`() async throws {
    try await withSession { session in
      try await session.save(chat(1))
      try await session.erase(0)
      var list = chat(2)
      list[0] = entry("another") { .instructions("Be kind.") }
      let result = try await session.save(list)
      #expect(result.revised.isEmpty)
      #expect(result.appended == 3..<5)
      #expect(try await session.entry(at: 0).isErased)
    }
  }

  @Test func `a prompt that was stored before the model was asked takes the list's key`()
    async throws
  {
    try await withSession { session in
      try await session.save(chat(1))
      let turn = try await session.openTurn()
      try await session.append(.prompt("question 1"))
      try await session.close(turn, .answered)
      let result = try await session.save(chat(2))
      #expect(result.appended == 4..<5)
      #expect(try await session.entry(at: 3).key == "p1")
      #expect(try await session.save(chat(2)).appended.isEmpty)
    }
  }

  @Test func `a failed attempt stays stored, and the next save goes on behind it`() async throws {
    try await withSession { session in
      try await session.save(chat(1))
      let turn = try await session.openTurn()
      try await session.append(.prompt("a question that failed"))
      try await session.close(turn, .failed, detail: "the context was full")
      #expect(try await session.save(chat(2)).appended == 4..<6)
      #expect(try await session.count() == 6)
    }
  }

  @Test func `an older state of the list writes nothing`() async throws {
    try await withSession { session in
      try await session.save(chat(4))
      let result = try await session.save(chat(2))
      #expect(result.appended.isEmpty)
      #expect(try await session.count() == 9)
    }
  }

  @Test func `equal parallel runs are bound to their calls by what they returned, never by order`()
    async throws
  {
    try await withSession { session in
      let turn = try await session.openTurn()
      try await session.append(.prompt("three cups"))
      var runs: [Invocation] = []
      for _ in 0..<3 {
        runs.append(
          try await session.begin(.tool, "Draw", .init(arguments: #"{"what": "cup"}"#)))
      }
      var labels: [String] = []
      for (index, run) in runs.enumerated() {
        labels.append(
          try await session.attach(
            .init(.bytes([UInt8(index)]), madeBy: .invocation(run))
          ).label)
        if index == 1 {
          try await session.end(run, .failed, detail: "no more colours")
        } else {
          try await session.end(run, .finished, output: "made \(labels[index])")
        }
      }
      try await session.close(turn, .answered)

      let calls = (0..<2).map {
        Entry.ToolCall(id: "call-\($0)", tool: "Draw", arguments: #"{"what":"cup"}"#)
      }
      let result = try await session.save([
        entry("p") { .prompt("three cups") },
        entry("c") { .toolCalls(calls) },
        // The other way round than they were started.
        entry("o1") { .toolOutput(for: calls[0], text: "made \(labels[2])") },
        entry("o2") { .toolOutput(for: calls[1], text: "made \(labels[0])") },
        entry("r") { .response("Two cups.") },
      ])
      #expect(result.appended == 1..<5)
      #expect(result.unbound.map(\.id) == [runs[1].id])
      let outputs = try await session.entries.all()
      #expect(outputs[2].attachments.map(\.label) == [labels[2]])
      #expect(outputs[3].attachments.map(\.label) == [labels[0]])
      #expect(outputs[3].attachments.map(\.basis) == [.explicit])
      #expect(outputs[3].attachments[0].call == .init(position: 1, ordinal: 1))
      let kept = try await session.attachments()
      #expect(kept.count == 3)
      #expect(kept.count { $0.position == nil } == 1)
      try await session.save([
        entry("p") { .prompt("three cups") },
        entry("c") { .toolCalls(calls) },
        entry("o1") { .toolOutput(for: calls[0], text: "made \(labels[2])") },
        entry("o2") { .toolOutput(for: calls[1], text: "made \(labels[0])") },
        entry("r") { .response("Two cups.") },
      ])
      #expect(try await session.count() == 5)
      #expect(try await session.attachments() == kept)
    }
  }
}
