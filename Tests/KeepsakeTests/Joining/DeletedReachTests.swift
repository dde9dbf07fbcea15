import Foundation
import Testing

@testable import Keepsake

/// A fork that was deleted, and that another fork was made from, needs less of the session that it was forked from itself: as much as its own
/// forks show.
@Suite struct `How much of a deleted session its deleted forks need` {
  /// The hub's version of a deleted session says more of the session than the store has, so that the store writes the session and its forks
  /// anew. A deleted fork among them needs as little as before.
  @Test func `is the same after the session was written anew with its forks`() async throws {
    try await Mirrors.make { mirrors in
      let secret = "SECRET-\(UUID().uuidString)"
      let session = try await mirrors.first.createSession()
      for text in ["One.", secret] { try await session.append(.prompt(text)) }
      let long = try await session.fork(before: 2)
      // A fork of the long fork has the long fork as its parent, because it shows the note, too.
      try await long.attach(.init(.bytes(Array("a note".utf8))), to: 0)
      try await mirrors.sync()
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.sync()
      // The hub gets a new version of the deleted session, with both entries.
      try await mirrors.second.session(long.id).erase(0)
      try await mirrors.second.sync()
      let short = try await long.fork(before: 1)
      try await mirrors.first.deleteSession(long.id)
      #expect(try mirrors.first.entriesKept(of: session.id) == 1)
      try await mirrors.first.sync()
      #expect(try mirrors.first.entriesKept(of: session.id) == 1)
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try !mirrors.finds(secret))
      for store in mirrors.stores {
        #expect(try await store.session(short.id).entries.all().count == 1)
        #expect(try store.entriesKept(of: session.id) == 1)
      }
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// A store has deleted a fork, and a short fork of that fork is left. Another store brings a longer fork of it. The long fork shows entries
  /// of the deleted session that a third fork kept so far. The entries stay when the third fork goes.
  @Test func `grows with a fork that comes from another store`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two.", "Three."] { try await session.append(.prompt(text)) }
      let origin = try await session.fork(before: 2)
      // A fork of this fork has it as its parent, because the new fork shows the note, too.
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
