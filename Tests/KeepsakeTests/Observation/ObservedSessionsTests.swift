import Foundation
import Testing

@testable import Keepsake

@MainActor
@Suite("A list of sessions that a view observes", .timeLimit(.minutes(60)))
struct ObservedSessionsTests {
  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test func `what comes, changes and goes shows, the newest first`() async throws {
    let store = try await Store.temporary()
    let first = try await store.createSession(title: "one")
    let list = ObservedSessions(store, page: 2)
    list.start()
    list.start()
    try await until { list.isLoaded }
    #expect(list.sessions.map(\.title) == ["one"])
    #expect(!list.hasMore)

    let second = try await store.createSession(title: "two")
    try await until { list.sessions.count == 2 }
    try await first.rename("first")
    try await until { list.sessions.contains { $0.title == "first" } }
    var later = Entry.prompt("a")
    later.created = Date().addingTimeInterval(100)
    try await first.append(later)
    try await until { list.sessions.first?.title == "first" && list.sessions.first?.entries == 1 }
    _ = try await store.createSession(title: "three")
    try await until { list.hasMore }
    #expect(list.sessions.count == 2)
    await list.loadMore()
    #expect(list.sessions.map(\.title).contains("three"))
    #expect(list.sessions.count == 3 && !list.hasMore)
    try await store.deleteSession(second.id)
    try await until { list.sessions.count == 2 }

    // A session that grows quickly ends up as it is.
    for n in 0..<300 { try await first.append(.response("\(n)")) }
    try await until { list.sessions.first?.entries == 301 }
    list.stop()
    _ = try await store.createSession(title: "unseen")
    try await Task.sleep(for: .milliseconds(150))
    #expect(list.sessions.count == 2)
    try await store.removeTemporary()
  }

  @Test func `what another process does shows too, as far as the filter lets it`() async throws {
    let store = try await Store.temporary()
    _ = try await store.createSession(title: "kept")
    let other = try openElsewhere(store)
    let list = ObservedSessions(store, filter: .init(text: "fruit"))
    list.start()
    try await until { list.isLoaded }
    #expect(list.sessions.isEmpty)
    let there = try await other.createSession(title: "Fruit")
    try await until { list.sessions.map(\.id) == [there.id] }
    try await there.append(.prompt("a"))
    try await until { list.sessions.first?.entries == 1 }
    await other.close()
    try await store.removeTemporary()
  }

  @Test func `it lets go of the store when nobody shows it any more`() async throws {
    let store = try await Store.temporary()
    var list: ObservedSessions? = ObservedSessions(store)
    list?.start()
    weak let weakly = list
    list = nil
    try await until { weakly == nil && !store.handle.observers.isObserved }
    await store.close()
    let closed = ObservedSessions(store)
    closed.start()
    try await until { closed.error != nil }
    #expect(closed.error?.code == .closed)
    try await store.removeTemporary()
  }
}
