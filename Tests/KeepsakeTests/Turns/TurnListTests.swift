import Foundation
import Testing

@testable import Keepsake

@Suite("The list of turns")
struct TurnListTests {
  @Test("Turns that a prompt began stand among those that were opened")
  func implicit() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.instructions("Draw."), .prompt("a cup"), .response("here")])
      let opened = try await session.openTurn()
      try await session.append([.prompt("again"), .response("here")])
      let closed = try await session.close(opened, .answered)
      var old = Entry.prompt("of unknown time")
      old.created = nil
      try await session.append(old)

      let turns = try await session.turns()
      #expect(turns.map(\.number) == [1, 2, 3])
      #expect(turns.map(\.isImplicit) == [true, false, true])
      #expect(turns[1] == closed)
      let prompt = try await session.entry(at: 1)
      let began = try #require(turns[0].opened)
      #expect(abs(began.timeIntervalSince(try #require(prompt.created))) < 1e-5)
      #expect(turns[2].opened == nil)
      #expect(turns.map(\.outcome) == [nil, .answered, nil])
      #expect(try await session.turns(open: true).isEmpty)
      for turn in turns {
        #expect(try await session.entries(ofTurn: turn.number).first?.kind == .prompt)
      }
      let coded = try JSONEncoder().encode(turns)
      #expect(try JSONDecoder().decode([Turn].self, from: coded) == turns)
    }
  }

  @Test("A fork has the turns that it shares, and the outcome of those that it shares whole")
  func forks() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      for name in ["one", "two"] {
        let turn = try await session.openTurn()
        try await session.append([.prompt(name), .response(name)])
        try await session.close(turn, .answered)
      }
      let fork = try await session.fork(before: 3)
      try await fork.append(.response("another"))
      let next = try await fork.openTurn()
      #expect(
        try await fork.turns().map {
          "\($0.number) \($0.outcome?.rawValue ?? "none") \($0.isImplicit)"
        }
          == ["1 answered false", "2 none true", "3 none false"])
      #expect(try await fork.turns(open: true) == [next])
      // The second fork ends before the first fork has answered, so it shares a turn that it does not end.
      let second = try await fork.fork(before: 3)
      #expect(try await second.turns().map(\.number) == [1, 2])
      #expect(try await session.turns().map(\.outcome) == [.answered, .answered])
    }
  }
}
