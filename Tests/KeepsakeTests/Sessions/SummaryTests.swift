import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// What is said of a session, and its counters after each thing that is done to it.
@Suite struct `A session's summary` {
  @Test func `has what it was created with`() async throws {
    try await withTemporaryStore { store in
      let id = UUID()
      let time = Date(timeIntervalSince1970: 1_767_225_600)
      let metadata = try JSON(validating: #"{"a": [1, null]}"#)
      let session = try await store.createSession(
        title: "Fruit", id: id, origin: "app", foreignID: "f", created: time,
        tags: ["b", "a", "b"], metadata: metadata)
      let summary = try await session.summary()
      #expect(session.id == id)
      #expect(summary.id == id)
      #expect(summary.title == "Fruit")
      #expect(summary.origin == "app")
      #expect(summary.created == time)
      #expect(summary.updated == time)
      #expect(summary.tags == ["a", "b"])
      #expect(try await session.metadata() == metadata)
      let error = await keepsakeError { try await store.createSession(id: id) }
      #expect(error?.code == .conflict)
      #expect(error?.message.contains("\(id)") == true)
      #expect(try await store.sessions().sessions == [summary])
    }
  }

  @Test func `follows what an app says of it`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      #expect(try await session.summary().title == nil)
      try await session.rename("Café ☕️")
      #expect(try await session.summary().title == "Café ☕️")
      try await session.rename(nil)
      #expect(try await session.summary().title == nil)
      try await session.tag(["a", "b"])
      try await session.tag(["c", "a"], removing: ["b", "never"])
      #expect(try await session.summary().tags == ["a", "c"])
      #expect(try await session.metadata() == nil)
      try await session.setMetadata(try JSON(validating: "{}"))
      try await session.setMetadata(try JSON(validating: #"{"x": 1}"#))
      #expect(try await session.metadata() == JSON(validating: #"{"x": 1}"#))
      try await session.setMetadata(nil)
      #expect(try await session.metadata() == nil)
    }
  }

  @Test func `counts each thing that is done`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      func expect(
        _ entries: Int, _ attachments: Int, artifactBytes: Int64,
        _ location: SourceLocation = #_sourceLocation
      ) async throws {
        let summary = try await session.summary()
        #expect(summary.entries == entries, sourceLocation: location)
        #expect(summary.attachments == attachments, sourceLocation: location)
        let bodies = try store.handle.read { db in
          try db.integer(
            """
            SELECT (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM entry)
              + (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM revision)
            """)
        }
        #expect(summary.bytes == (bodies ?? 0) + artifactBytes, sourceLocation: location)
        try await DeletingTests.isSound(store, location)
      }
      try await expect(0, 0, artifactBytes: 0)
      try await session.append([.prompt("zero"), .response("one")])
      try await expect(2, 0, artifactBytes: 0)
      let first = try await session.attach(.init(.bytes([1, 2, 3]), madeBy: .user), to: 0)
      try await expect(2, 1, artifactBytes: 3)
      try await session.attach(.init(.bytes([1, 2, 3]), madeBy: .user))
      try await expect(2, 2, artifactBytes: 6)
      let awaited = try await session.attach(
        .awaited(.pending, reference: "r", madeBy: .user))
      try await expect(2, 3, artifactBytes: 6)
      try await session.settle(awaited, with: .bytes([4]))
      try await expect(2, 3, artifactBytes: 7)
      try await session.caption(first, "a caption")
      try await session.revise(0, to: .prompt("another zero"))
      try await expect(2, 3, artifactBytes: 7)
      try await session.append(.event(String(repeating: "x", count: LargeText.limit + 1)))
      try await expect(3, 3, artifactBytes: 7 + Int64(LargeText.limit) + 1)
      try await session.erase(first)
      try await expect(3, 3, artifactBytes: 4 + Int64(LargeText.limit) + 1)
      try await session.erase(2)
      try await expect(3, 3, artifactBytes: 4)
      try await session.erase(0)
      try await expect(3, 3, artifactBytes: 4)
    }
  }

  @Test func `has the first prompt that is left as its preview, and nothing that was erased`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("first secret"))
      try await session.erase(0)
      #expect(try await session.summary().preview == nil)
      try await session.append(.prompt("second secret"))
      let fork = try await session.fork()
      try await session.append(.prompt("third"))
      #expect(try await session.summary().preview == "second secret")
      #expect(try await fork.summary().preview == "second secret")
      try await session.erase(1)
      #expect(try await session.summary().preview == "third")
      #expect(try await fork.summary().preview == nil)
    }
  }
}
