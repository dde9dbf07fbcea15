import Foundation
import Testing

@testable import Keepsake

@Suite("Forks that are told apart")
struct AlternativesTests {
  private func story(_ store: Store, title: String? = "Fruit") async throws -> Session {
    let session = try await store.createSession(title: title)
    try await session.append([
      .prompt("a banana"), .response("yellow"), .prompt("another"), .response("green"),
    ])
    return session
  }

  private func goingOn(_ session: Session, at position: Int, _ text: String) async throws -> Session
  {
    let fork = try await session.fork(before: position)
    try await fork.append(.response(text))
    return fork
  }

  @Test func `22: a session knows its forks, and where each begins`() async throws {
    try await withTemporaryStore { store in
      let session = try await story(store)
      let late = try await goingOn(session, at: 3, "brown")
      let early = try await goingOn(session, at: 1, "red")
      // Made within what it shares, it is a fork of the session that owns that.
      let third = try await goingOn(late, at: 1, "blue")
      let own = try await goingOn(late, at: 4, "black")
      let forks = try await session.forks()
      #expect(forks.map(\.id) == [early.id, third.id, late.id])
      #expect(forks.map(\.forkPosition) == [1, 1, 3])
      #expect(try await late.forks().map(\.id) == [own.id])
      #expect(try await early.forks().isEmpty)
      try await store.deleteSession(late.id)
      #expect(try await session.forks().map(\.id) == [early.id, third.id])
    }
  }

  @Test func `22: a fork without a title of its own says where it begins`() async throws {
    try await withTemporaryStore { store in
      let session = try await story(store)
      let fork = try await goingOn(session, at: 3, "brown")
      #expect(try await session.summary().name == "Fruit")
      #expect(try await fork.summary().name == "Fruit … from 3")
      #expect(try await fork.summary().title == "Fruit")
      try await fork.rename("Brown fruit")
      #expect(try await fork.summary().name == "Brown fruit")
      let plain = try await story(store, title: nil)
      let other = try await plain.fork(before: 1)
      #expect(try await other.summary().name == "a banana … from 1")
      #expect(Set(try await store.sessions().sessions.map(\.name)).count == 4)
    }
  }

  @Test func `22: an entry's alternatives are the sessions that tell the same until there`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await story(store)
      let red = try await goingOn(session, at: 1, "red")
      let blue = try await goingOn(red, at: 1, "blue")
      let brown = try await goingOn(session, at: 3, "brown")
      _ = try await session.fork(before: 1)  // It says nothing of its own yet.
      let first = [session.id, red.id, blue.id]
      for one in [session, red, blue, brown] {
        #expect(try await one.alternatives(at: 1).map(\.id) == first)
      }
      for one in [session, brown] {
        #expect(try await one.alternatives(at: 3).map(\.id) == [session.id, brown.id])
      }
      #expect(try await session.alternatives(at: 2).map(\.id) == [session.id])
      #expect(try await red.alternatives(at: 2).isEmpty)
      #expect(try await brown.alternatives(at: 4).isEmpty)
      let error = await keepsakeError { try await red.alternatives(at: 3) }
      #expect(error?.code == .outOfRange || error?.code == .notFound)
      // Two forks of a deleted session are still alternatives to each other.
      try await store.deleteSession(session.id)
      #expect(try await red.alternatives(at: 1).map(\.id) == [red.id, blue.id])
    }
  }
}
