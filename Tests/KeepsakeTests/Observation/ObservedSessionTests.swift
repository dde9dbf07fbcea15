import Foundation
import Testing

@testable import Keepsake

@MainActor
@Suite("A session that a view observes", .timeLimit(.minutes(60)))
struct ObservedSessionTests {
  /// Waits until something that the view shows is so.
  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test func `a thousand appends from elsewhere end up as they are stored`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession(title: "Fruit")
    try await session.append(.prompt("before"))
    let observed = ObservedSession(session)
    observed.start()
    let appending = Task.detached {
      for n in 0..<1000 { try await session.append(.prompt("\(n)")) }
    }
    try await appending.value
    try await until { observed.entries.last?.position == 1000 }
    let first = observed.firstPosition
    let stored = try await session.entries(from: first).all()
    #expect(observed.entries == stored)
    #expect(observed.error == nil)
    #expect(observed.title == "Fruit")
    observed.stop()
    try await store.removeTemporary()
  }

  @Test func `it shows the newest page first, and earlier ones when asked`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    try await session.append((0..<120).map { Entry.prompt("\($0)") })
    let observed = ObservedSession(session, page: 50)
    observed.start()
    try await until { observed.isLoaded }
    #expect(observed.firstPosition == 70)
    await observed.loadEarlier()
    #expect(observed.firstPosition == 20)
    await observed.loadEarlier()
    #expect(observed.firstPosition == 0)
    #expect(!observed.hasEarlier)
    let stored = try await session.entries.all()
    #expect(observed.entries == stored)
    try await store.removeTemporary()
  }

  @Test func `drafts, runs, revisions and attachments show as they come`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    try await session.append(.prompt("a"))
    let observed = ObservedSession(session)
    observed.start()
    try await until { observed.isLoaded }

    let draft = try await session.draft()
    draft.update("so far")
    try await until { observed.draft?.text == "so far" }
    try await draft.finish()
    try await until { observed.draft == nil && observed.entries.count == 2 }
    #expect(observed.entries.last?.text == "so far")

    let run = try await session.begin(.tool, "Draw")
    session.report(0.5, note: "half", of: run)
    try await until { observed.running.first?.fraction == 0.5 }
    #expect(observed.running.first?.note == "half")
    try await session.end(run, .finished)
    try await until { observed.running.isEmpty }

    try await session.revise(0, to: .prompt("b"))
    try await until { observed.entries.first?.text == "b" }
    try await session.attach(Entry.NewAttachment(.data(Data("x".utf8))), to: 0)
    try await until { observed.entries.first?.attachments.count == 1 }
    try await session.rename("New")
    try await until { observed.title == "New" }
    observed.stop()
    try await store.removeTemporary()
  }

  @Test func `what another process does shows too`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    let other = try openElsewhere(store)
    let observed = ObservedSession(session)
    observed.start()
    let there = try await other.session(session.id)
    try await there.append([.prompt("a"), .response("b")])
    try await until { observed.entries.count == 2 }
    try await there.revise(1, to: .response("c"))
    try await until { observed.entries.last?.text == "c" }
    let stored = try await session.entries.all()
    #expect(observed.entries == stored)
    await other.close()
    try await store.removeTemporary()
  }

  @Test func `turns and runs show with how they ended, and images before an entry has them`()
    async throws
  {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    try await session.append([.prompt("of its own"), .response("a")])
    let observed = ObservedSession(session)
    observed.start()
    try await until { observed.isLoaded }
    #expect(observed.turns.map(\.isImplicit) == [true])

    let turn = try await session.openTurn()
    try await session.append(.prompt("draw"))
    try await until { observed.turns.count == 2 }
    let run = try await session.begin(.tool, "Draw")
    let image = try await session.attach(.init(.bytes([1, 2]), madeBy: .invocation(run)))
    try await until { observed.running.first?.attachments.map(\.id) == [image.id] }
    #expect(observed.entries.allSatisfy { $0.attachments.isEmpty })
    let awaited = try await session.attach(.awaited(madeBy: .invocation(run)))
    try await until { observed.runs.first?.attachments.last?.state == .pending }
    try await session.settle(awaited, with: .bytes([3]))
    try await until { observed.runs.first?.attachments.last?.state == .present }
    try await session.end(run, .failed, detail: "no ink")
    try await session.append(.prompt("in the turn, too"))
    try await session.close(turn, .failed, detail: "no ink")
    try await until { observed.turns.last?.outcome == .failed }
    #expect(observed.turns.map(\.number) == [1, 2])
    #expect(observed.running.isEmpty)
    #expect(observed.runs.map(\.outcome) == [.failed])
    try await session.append([.response("sorry"), .prompt("next")])
    try await until { observed.turns.count == 3 }
    #expect(observed.turns.map(\.outcome) == [nil, .failed, nil])

    // Who begins to look now sees the same.
    let late = ObservedSession(session)
    late.start()
    try await until { late.isLoaded }
    let stored = try await session.turns()
    #expect(late.turns == stored)
    #expect(observed.turns.map(\.number) == stored.map(\.number))
    #expect(late.runs == observed.runs)
    try await store.removeTemporary()
  }

  @Test func `a lane and a reader see what is theirs, a page at a time`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    func entry(_ n: Int, _ lane: String?, _ visibility: Entry.Visibility = .everyone) -> Entry {
      var entry = n % 2 == 0 ? Entry.prompt("\(n)") : .response("\(n)")
      entry.lane = lane
      entry.visibility = visibility
      return entry
    }
    try await session.append(
      (0..<200).map { n in
        switch n / 2 % 4 {
        case 0: entry(n, "chat")
        case 1: entry(n, "title")
        case 2: entry(n, "chat", n % 2 == 0 ? .model : .person)
        default: entry(n, nil)
        }
      })
    let filter = ObservedSession.Filter(lane: "chat", reader: .person)
    let observed = ObservedSession(session, page: 20, filter: filter)
    observed.start()
    try await until { observed.isLoaded }
    let all = try await session.entries.all().filter {
      $0.lane != "title" && $0.visibility != .model
    }
    #expect(observed.entries.count >= 20)
    #expect(observed.entries == all.suffix(observed.entries.count))
    while observed.hasEarlier { await observed.loadEarlier() }
    #expect(observed.entries == all)
    let turns = try await session.turns()
    #expect(observed.turns == turns.filter { $0.lane != "title" })

    let hidden = try await session.draft(.response, lane: "title")
    hidden.update("a title")
    let shown = try await session.draft(.response, lane: "chat")
    shown.update("an answer")
    try await until { observed.draft?.text == "an answer" }
    #expect(observed.drafts.count == 1)
    try await hidden.finish()
    try await shown.finish()
    try await session.append(entry(0, "title"))
    try await session.append(entry(1, "chat"))
    try await until { observed.entries.count == all.count + 2 }
    // A revision that gives it to another lane takes it away.
    let last = try #require(observed.entries.last?.position)
    try await session.revise(last, to: entry(1, "title"))
    try await until { observed.entries.count == all.count + 1 }
    try await session.revise(last, to: entry(1, "chat"))
    try await until { observed.entries.count == all.count + 2 }
    #expect(observed.entries.last?.position == last)
    try await store.removeTemporary()
  }

  @Test func `it lets go of the session when nobody shows it any more`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    var observed: ObservedSession? = ObservedSession(session)
    observed?.start()
    weak let weakly = observed
    observed = nil
    try await until { weakly == nil && !store.handle.observers.isObserved }
    try await store.removeTemporary()
  }

  @Test func `a store that was closed is told as an error`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    await store.close()
    let observed = ObservedSession(session)
    observed.start()
    try await until { observed.error != nil }
    #expect(observed.error?.code == .closed)
    try await store.removeTemporary()
  }
}
