import Foundation
import Testing

@testable import Keepsake

@Suite struct `Appending a key that the session knows` {
  private func keyed(_ text: String, _ key: String = "k") -> Entry {
    var entry = Entry.prompt(text)
    entry.key = key
    return entry
  }

  private func withSession(_ body: (Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(try await store.createSession())
      #expect(try await store.verify().isSound)
    }
  }

  @Test(arguments: [1, 200_000])
  func `equal content with equal artifacts is acknowledged and writes nothing`(size: Int)
    async throws
  {
    try await withSession { session in
      let photo = Entry.NewAttachment(.bytes(.init(repeating: 7, count: size)))
      let first = try await session.append(keyed("look"), attaching: [photo])
      // What is attached since is not what the entry was appended with.
      try await session.attach(.init(.bytes([9])), to: 0)
      let before = try await session.summary()
      let again = try await session.append(keyed("look"), attaching: [photo])
      #expect(again.id == first.id)
      #expect(again.position == 0)
      #expect(again.attachments.count == 2)
      #expect(try await session.summary() == before)
    }
  }

  @Test func `other artifacts, or another number of them, are a conflict`() async throws {
    try await withSession { session in
      func photos(_ bytes: [UInt8]...) -> [Entry.NewAttachment] { bytes.map { .init(.bytes($0)) } }
      try await session.append(keyed("look"), attaching: photos([1], [2]))
      let before = try await session.summary()
      for other in [photos([1], [3]), photos([2], [1]), photos([1]), photos([1], [2], [3]), []] {
        let error = await keepsakeError {
          try await session.append(keyed("look"), attaching: other)
        }
        #expect(error?.code == .conflict)
      }
      // The same where the caller says itself where the artifacts stand.
      var placed = keyed("look")
      placed.segments += [.attachment(0), .attachment(1)]
      try await session.append(placed, attaching: photos([1], [2]))
      let other = await keepsakeError {
        try await session.append(placed, attaching: photos([2], [1]))
      }
      #expect(other?.code == .conflict)
      #expect(try await session.summary() == before)
    }
  }

  @Test func `an artifact that was erased, or is still awaited, does not count as kept`()
    async throws
  {
    try await withSession { session in
      let photo = Entry.NewAttachment(.bytes([1]))
      let stored = try await session.append(keyed("look"), attaching: [photo])
      let awaited = Entry.NewAttachment.awaited(reference: "file_1", madeBy: .user)
      try await session.append(keyed("wait", "w"), attaching: [awaited])
      try await session.append(keyed("wait", "w"), attaching: [awaited])
      #expect(try await session.count() == 2)
      let early = await keepsakeError {
        try await session.append(keyed("wait", "w"), attaching: [photo])
      }
      #expect(early?.code == .conflict)
      try await session.erase(stored.attachments[0])
      let late = await keepsakeError {
        try await session.append(keyed("look"), attaching: [photo])
      }
      #expect(late?.code == .conflict)
    }
  }

  @Test func `an entry that was revised is compared as it is now`() async throws {
    try await withSession { session in
      let photo = Entry.NewAttachment(.bytes([1]))
      var stored = try await session.append(keyed("look"), attaching: [photo])
      stored.segments[0] = .text("look here")
      try await session.revise(0, to: stored)
      let old = await keepsakeError { try await session.append(keyed("look"), attaching: [photo]) }
      #expect(old?.code == .conflict)
      try await session.append(keyed("look here"), attaching: [photo])
      let other = await keepsakeError {
        try await session.append(keyed("look here"), attaching: [.init(.bytes([2]))])
      }
      #expect(other?.code == .conflict)
      #expect(try await session.count() == 1)
    }
  }

  @Test func `keys compare as bytes, and hold in forks`() async throws {
    try await withSession { session in
      try await session.append(keyed("a", "caf\u{E9}"))
      try await session.append(keyed("b", "cafe\u{301}"))
      #expect(try await session.count() == 2)
      let fork = try await session.fork()
      #expect(try await fork.append(keyed("a", "caf\u{E9}")).position == 0)
      let error = await keepsakeError { try await fork.append(keyed("c", "caf\u{E9}")) }
      #expect(error?.code == .conflict)
      #expect(error?.object == "caf\u{E9}")
      // What the parent adds behind the fork is none of its business.
      try await session.append(keyed("later", "later"))
      #expect(try await fork.append(keyed("other", "later")).position == 2)
    }
  }

  @Test func `of a batch with a conflict nothing is stored`() async throws {
    try await withSession { session in
      try await session.append(keyed("a", "1"))
      let before = try await session.summary()
      let error = await keepsakeError {
        try await session.append([keyed("b", "2"), keyed("a", "1"), keyed("other", "1")])
      }
      #expect(error?.code == .conflict)
      #expect(try await session.summary() == before)
      let stored = try await session.append([keyed("b", "2"), keyed("b", "2"), keyed("a", "1")])
      #expect(stored.map(\.position) == [1, 1, 0])
    }
  }
}
