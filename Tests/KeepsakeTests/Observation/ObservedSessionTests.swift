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

  @Test func `it lets go of the session when nobody shows it any more`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    var observed: ObservedSession? = ObservedSession(session)
    observed?.start()
    weak let weakly = observed
    observed = nil
    try await until { weakly == nil && !store.core.hub.isObserved }
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
