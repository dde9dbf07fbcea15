import Foundation
import Testing

@testable import Keepsake

/// Handles that an app has kept while a sync wrote their sessions anew.
@Suite struct `A handle of a session that a sync writes anew` {
  /// The rows of a fork stand beside those of its origin. So a store that gets more of a deleted session writes the forks anew, too.
  @Test func `stays good if the session shares the same entries as before`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two."] { try await session.append(.prompt(text)) }
      let long = try await session.fork(before: 2)
      let fork = try await session.fork(before: 1)
      try await fork.append(.response("Of the fork."))
      try await mirrors.sync()
      try await mirrors.first.deleteSession(session.id)
      try await mirrors.sync()
      let kept = try await mirrors.first.session(fork.id)
      let away = try await mirrors.second.session(long.id)
      try await mirrors.first.deleteSession(long.id)
      try await mirrors.first.sync()
      #expect(try mirrors.first.entriesKept(of: session.id) == 1)
      // The second store needs the other entry for a fork of which the hub knows nothing.
      let new = try await away.fork(before: 2)
      try await new.append(.response("Of the new fork."))
      try await mirrors.second.sync()
      try await mirrors.first.sync()
      #expect(try mirrors.first.entriesKept(of: session.id) == 2)
      for handle in [fork, kept] {
        #expect(try await handle.entries.all().map(\.text) == ["One.", "Of the fork."])
      }
      try await kept.append(.prompt("It goes on."))
      #expect(try await fork.count() == 3)
      try await mirrors.sync()
      try await mirrors.requireSame()
    }
  }

  /// Two stores append to one session. The part that one of the stores wrote becomes a session of its own, and so the origin of a fork that was
  /// made of that part.
  @Test func `is refused if the session went on in another store, too`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("One."))
      try await mirrors.sync()
      try await session.append(.response("Said here."))
      let fork = try await session.fork(before: 2)
      try await fork.append(.prompt("Of the fork."))
      try await mirrors.second.session(session.id).append(.response("Said there."))
      try await mirrors.second.sync()
      #expect(try await mirrors.first.sync().parted.map(\.session) == [session.id])
      for handle in [session, fork] {
        let reading = await #expect(throws: KeepsakeError.self) { try await handle.entries.all() }
        let writing = await #expect(throws: KeepsakeError.self) {
          try await handle.append(.prompt("It goes on."))
        }
        #expect(reading?.code == .conflict && writing?.code == .conflict)
        #expect(writing?.message.contains("Ask the store for it again.") == true)
      }
      let texts = try await mirrors.first.session(session.id).entries.all().map(\.text)
      #expect(texts == ["One.", "Said there."])
      let again = try await mirrors.first.session(fork.id)
      #expect(try await again.entries.all().map(\.text) == ["One.", "Said here.", "Of the fork."])
      try await mirrors.sync()
      try await mirrors.requireSame()
    }
  }
}
