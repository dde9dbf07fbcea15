import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// A fork that was deleted, and that another fork was made from, needs less of the session that it was forked from itself: as much as its own
/// forks show.
@Suite struct `How much of a deleted session its deleted forks need` {
  /// The version of a deleted session that comes from the hub says more of it than the store has, so that the store writes the session and its
  /// forks anew. A deleted fork among these needs as little as before.
  @Test func `is the same after the session was written anew with its forks`() async throws {
    try await Mirrors.make { mirrors in
      let secret = "SECRET-\(UUID().uuidString)"
      let session = try await mirrors.first.createSession()
      for text in ["One.", secret, "Three."] { try await session.append(.prompt(text)) }
      let long = try await session.fork(before: 2)
      // A fork of this one is forked from it, and not from its parent, because it shows what is attached.
      try await long.attach(.init(.bytes(Array("a note".utf8))), to: 0)
      let other = try await session.fork(before: 3)
      try await mirrors.sync()
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.sync()
      // Another store tells the hub once more what forks need of the session.
      try await mirrors.second.deleteSession(other.id)
      try await mirrors.second.sync()
      let short = try await long.fork(before: 1)
      try await mirrors.first.deleteSession(long.id)
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.session(short.id).entries.all().count == 1)
      }
      #expect(try !mirrors.finds(secret))
      try await mirrors.sync()
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// A store has deleted a fork of which only a short fork is left. From another store comes a longer one. What it shows of the deleted session
  /// is here for a third fork, and stays when that one goes.
  @Test func `grows with a fork that comes from another store`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two.", "Three."] { try await session.append(.prompt(text)) }
      let origin = try await session.fork(before: 2)
      // A fork of this one is forked from it, and not from its parent, because it shows what is attached.
      try await origin.attach(.init(.bytes(Array("a note".utf8))), to: 0)
      let third = try await session.fork(before: 2)
      try await mirrors.sync()
      let long = try await mirrors.second.session(origin.id).fork(before: 2)
      let short = try await origin.fork(before: 1)
      try await mirrors.first.deleteSession(origin.id)
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.sync()
      try await mirrors.requireSame()
      try await mirrors.first.deleteSession(third.id)
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.session(short.id).entries.all().count == 1)
        #expect(try await store.session(long.id).entries.all().count == 2)
        #expect(try await store.membership()?.aside == [])
      }
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }
}
