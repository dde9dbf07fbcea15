import Foundation
import Testing

@testable import Keepsake

@Suite("Going back in a conversation")
struct GoingBackTests {
  private static func texts(_ session: Session, _ options: Resumption.Options = .init())
    async throws -> [String]
  {
    try await session.resume(options).entries.map(\.text)
  }

  /// What is said of entries that were taken back.
  private static func taken(_ session: Session) async throws -> [Int] {
    try await session.resume().notes.filter { $0.reason == .takenBack && $0.action == .leftOut }
      .compactMap(\.position)
  }

  /// Two turns, of which the second is taken back.
  private func talk(in store: Store) async throws -> Session {
    let session = try await store.createSession(title: "Fruit")
    try await session.append([
      .instructions("Be kind."), .prompt("one"), .response("1"), .prompt("two"), .response("2"),
      .goingBack(to: 2), .prompt("three"), .response("3"),
    ])
    return session
  }

  @Test func `gives a model what is live, and says what was taken back`() async throws {
    try await withTemporaryStore { store in
      let session = try await talk(in: store)
      let resumed = try await session.resume()
      #expect(resumed.entries.map(\.position) == [0, 1, 2, 6, 7])
      #expect(
        resumed.notes == [
          .init(position: 3, action: .leftOut, reason: .takenBack),
          .init(position: 4, action: .leftOut, reason: .takenBack),
          .init(position: 5, action: .leftOut, reason: .event),
        ])
      // A person still sees all of it.
      #expect(try await session.entries.all().count == 8)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `is seen by looking at events alone, in forks as well`() async throws {
    try await withTemporaryStore { store in
      let session = try await talk(in: store)
      try await session.append([
        .event("Who goes back says \"continuesAfter\"."), .prompt("\"continuesAfter\":0"),
      ])
      let fork = try await session.fork(before: 9)
      try await fork.append([.goingBack(to: 4), .prompt("five")])
      let early = try await session.fork(before: 5)
      for each in [session, fork, early] {
        let entries = try await each.entries.all()
        #expect(try await each.livePath() == LivePath(of: entries))
      }
      #expect(try await early.livePath().isWhole)
      #expect(try await fork.livePath().stretches == [0..<5, 9..<11])
      #expect(try await store.createSession().livePath().isWhole)
    }
  }

  @Test func `twice, into what was left, and to the beginning`() async throws {
    try await withTemporaryStore { store in
      let session = try await talk(in: store)
      try await session.append([.goingBack(to: 2), .prompt("four"), .response("4")])
      #expect(try await Self.texts(session) == ["Be kind.", "one", "1", "four", "4"])
      #expect(try await Self.taken(session) == Array(3...7))
      // After the answer that the first event took back: its turn is live again.
      try await session.append([.goingBack(to: 4), .prompt("five")])
      #expect(try await Self.texts(session) == ["Be kind.", "one", "1", "two", "2", "five"])
      #expect(try await Self.taken(session) == Array(5...10))
      try await session.append([.goingBack(to: -1), .prompt("anew")])
      #expect(try await Self.texts(session) == ["anew"])
      // Nothing was said since: what is live ends where it went back to.
      try await session.append(.goingBack(to: 2))
      #expect(try await Self.texts(session) == ["Be kind.", "one", "1"])
    }
  }

  @Test func `pairs calls with outputs of the live path alone`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let call = Entry.ToolCall(id: "c", tool: "Draw")
      try await session.append([
        .prompt("draw"), .toolCalls([call]), .toolOutput(for: call, text: "left"),
        .response("left"), .goingBack(to: 1), .toolOutput(for: call, text: "live"),
        .response("live"),
      ])
      #expect(try await Self.texts(session) == ["draw", "", "live", "live"])
      // A call whose output was taken back has none.
      try await session.append(.goingBack(to: 1))
      let resumed = try await session.resume()
      #expect(resumed.entries.map(\.text) == ["draw", "", OutgoingList.noOutput])
      #expect(resumed.notes.contains { $0.reason == .callWithoutOutput("c") })
      // An output whose call was taken back answers nothing.
      try await session.append([
        .goingBack(to: 0), .toolOutput(for: call, text: "late"), .response("so"),
      ])
      let late = try await session.resume()
      #expect(late.entries.map(\.text) == ["draw", "so"])
      #expect(late.notes.contains(.init(position: 9, action: .leftOut, reason: .outputWithoutCall)))
    }
  }

  @Test func `fits the live turns into a budget, and counts no others`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let long = String(repeating: "word ", count: 2000)
      try await session.append([
        .instructions("x"), .prompt("one"), .response("1"), .prompt("two"), .response(long),
        .goingBack(to: 2), .prompt("three"), .response("3"), .prompt("four"), .response("4"),
      ])
      let all = try await session.resume(.init(budget: .tokens(1000, reserving: 0)))
      #expect(all.entries.map(\.text) == ["x", "one", "1", "three", "3", "four", "4"])
      let least = try await session.resume(.init(budget: .tokens(15, reserving: 0)))
      #expect(least.entries.map(\.text) == ["x", "four", "4"])
      #expect(
        least.notes.filter { $0.reason == .overBudget }.map(\.position) == [1, 2, 6, 7])
      #expect(least.notes.filter { $0.reason == .takenBack }.map(\.position) == [3, 4])
    }
  }

  @Test func `is shared by forks, and is each fork's own where it is`() async throws {
    try await withTemporaryStore { store in
      let session = try await talk(in: store)
      // Before the event nothing was taken back.
      let early = try await session.fork(before: 5)
      #expect(try await Self.texts(early) == ["Be kind.", "one", "1", "two", "2"])
      try await early.append(.prompt("early"))
      #expect(try await Self.texts(early).last == "early")
      // Behind it the fork goes on as its parent did.
      let late = try await session.fork(before: 7)
      try await late.append(.response("other"))
      #expect(try await Self.texts(late) == ["Be kind.", "one", "1", "three", "other"])
      // An event of the fork may go back to an entry that the fork shares, and to one that was taken back there.
      try await late.append([.goingBack(to: 4), .prompt("late")])
      #expect(try await Self.texts(late) == ["Be kind.", "one", "1", "two", "2", "late"])
      let inner = try await late.fork(before: 10)
      try await inner.append([.goingBack(to: 7), .prompt("inner")])
      #expect(try await Self.texts(inner) == ["Be kind.", "one", "1", "three", "other", "inner"])
      #expect(try await Self.texts(session) == ["Be kind.", "one", "1", "three", "3"])
      // Instructions of a fork's own that were taken back stand in nobody's place.
      try await early.append([.instructions("Be stern."), .goingBack(to: 5), .prompt("last")])
      #expect(
        try await Self.texts(early) == [
          "Be kind.", "one", "1", "two", "2", "early", OutgoingList.noAnswer, "last",
        ])
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `is in the entry's JSON and body, and in no other entry's`() async throws {
    var event = Entry.goingBack(to: 12, "Back to the cup.")
    event.created = Date(timeIntervalSince1970: 1_764_000_000)
    #expect(event.json["continuesAfter"]?.intValue == 12)
    #expect(try Entry(json: event.json) == event)
    let decoded = try JSONDecoder().decode(Entry.self, from: JSONEncoder().encode(event))
    #expect(decoded == event)
    #expect(
      String(decoding: EntryBody.encode(event), as: UTF8.self)
        == #"{"v":1,"segments":[{"text":"Back to the cup."}],"continuesAfter":12}"#)
    var plain = event
    plain.continuesAfter = nil
    #expect(
      String(decoding: EntryBody.encode(plain), as: UTF8.self)
        == #"{"v":1,"segments":[{"text":"Back to the cup."}]}"#)
    #expect(plain.json["continuesAfter"] == nil)
    #expect(!event.hasSameContent(as: plain))
    #expect(throws: KeepsakeError.self) {
      try Entry(json: JSON(validating: #"{"kind":"event","continuesAfter":"1"}"#))
    }
    try await withTemporaryStore { store in
      let session = try await talk(in: store)
      #expect(try await session.entry(at: 5).continuesAfter == 2)
      #expect(try await session.entry(at: 4).continuesAfter == nil)
    }
  }

  @Test func `leads to where there is something, from an event`() async throws {
    try await withTemporaryStore { store in
      let session = try await talk(in: store)
      for (target, code) in [(8, KeepsakeError.Code.outOfRange), (99, .outOfRange), (-2, .invalid)]
      {
        let error = await #expect(throws: KeepsakeError.self) {
          try await session.append(.goingBack(to: target))
        }
        #expect(error?.code == code, "\(target)")
      }
      var prompt = Entry.prompt("back")
      prompt.continuesAfter = 1
      let refused = prompt
      let error = await #expect(throws: KeepsakeError.self) { try await session.append(refused) }
      #expect(error?.code == .invalid)
      #expect(try await session.count() == 8)
      // The last entry is where the conversation stands: that takes nothing back, and is no error.
      try await session.append(.goingBack(to: 7))
      #expect(try await Self.taken(session) == [3, 4])
    }
  }

  @Test func `stays as it is when its text is revised`() async throws {
    try await withTemporaryStore { store in
      let session = try await talk(in: store)
      let revised = try await session.revise(5, to: .event("I changed my mind."))
      #expect(revised.continuesAfter == 2)
      #expect(try await Self.taken(session) == [3, 4])
      let error = await #expect(throws: KeepsakeError.self) {
        try await session.revise(5, to: .goingBack(to: 1))
      }
      #expect(error?.code == .invalid)
      #expect(try await session.revisions(of: 5).map(\.entry.continuesAfter) == [2])
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `a list that goes on from what is live is saved, though it says the same again`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let start: [Entry] = [.instructions("Be kind."), .prompt("one"), .response("1")]
      try await session.save(start + [.prompt("two"), .response("2")])
      try await session.append(.goingBack(to: 2))
      let again = start + [.prompt("two"), .response("another 2")]
      let saved = try await session.save(again)
      #expect(saved.appended == 6..<8)
      #expect(try await Self.texts(session) == ["Be kind.", "one", "1", "two", "another 2"])
      // From then on it is known again by its beginning.
      let next = try await session.save(again + [.prompt("three")])
      #expect(next.appended == 8..<9)
      let list = try await session.resume().entries
      #expect(try await session.save(list + [.response("3")]).appended == 9..<10)
    }
  }

  @Test func `a list that still has what was taken back goes another way`() async throws {
    try await withTemporaryStore { store in
      let session = try await talk(in: store)
      let list: [Entry] = [
        .instructions("Be kind."), .prompt("one"), .response("1"), .prompt("two"), .response("2"),
        .prompt("more"),
      ]
      let error = await #expect(throws: KeepsakeError.self) { try await session.save(list) }
      #expect(error?.code == .diverged)
      let fork = try await session.save(list, ifDiverging: .fork).session
      #expect(
        try await Self.texts(fork) == ["Be kind.", "one", "1", "two", "2", "more"])
    }
  }
}
