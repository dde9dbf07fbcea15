import Foundation
import Testing

@testable import Keepsake

@Suite("Lists of what an app looks for")
struct FindingListsTests {
  @Test func `24: sessions are listed by their own tag alone, and tags with how many have them`()
    async throws
  {
    try await withTemporaryStore { store in
      let own = try await store.createSession(tags: ["fruit", "b"])
      let other = try await store.createSession(tags: ["b"])
      var entry = Entry.prompt("hello")
      entry.tags = ["fruit"]
      try await other.append(entry)
      #expect(try await store.sessions(.init(tag: "fruit")).sessions.count == 2)
      #expect(try await store.sessions(.init(sessionTag: "fruit")).sessions.map(\.id) == [own.id])
      let tags = try await store.sessionTags()
      #expect(tags.map(\.tag) == ["b", "fruit"])
      #expect(tags.map(\.sessions) == [2, 1])
      try await store.deleteSession(own.id)
      #expect(try await store.sessionTags().map(\.tag) == ["b"])
    }
  }

  @Test func `24: what is awaited is found across sessions, page by page`() async throws {
    try await withTemporaryStore { store in
      var promised: [Entry.Attachment] = []
      for number in 0..<5 {
        let session = try await store.createSession(title: "\(number)")
        try await session.append(.response("soon"))
        try await session.attach(.init(.bytes([UInt8(number)])), to: 0)
        promised.append(
          try await session.attach(.awaited(mediaType: .png, madeBy: .step("Draw")), to: 0))
      }
      let first = try await store.attachments(in: .pending, limit: 2)
      #expect(first.map(\.recording) == promised.reversed().prefix(2).map(\.recording))
      let rest = try await store.attachments(in: .pending, before: first.last?.recording)
      #expect(rest.map(\.session) == promised.prefix(3).reversed().map(\.session))
      let session = try await store.session(promised[0].session)
      try await session.settle(promised[0], with: .bytes([9]))
      try await store.deleteSession(promised[1].session)
      #expect(try await store.attachments(in: .pending).count == 3)
      #expect(try await store.attachments(in: .present).count == 5)
      #expect(try await store.attachments(in: .failed).isEmpty)
    }
  }

  @Test func `24: artifacts are listed by what their bytes are`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("look"))
      let png = try #require(Data(base64Encoded: Pixel.png))
      let image = try await session.attach(.init(.data(png)), to: 0)
      try await session.attach(.init(.data(Data("text".utf8))), to: 0)
      for type in ["image", "image/png"] {
        let page = try await store.artifacts(ofType: type)
        #expect(page.artifacts.map(\.id) == [image.artifact?.id])
      }
      #expect(try await store.artifacts(ofType: "imag").artifacts.isEmpty)
      #expect(try await store.artifacts().artifacts.count == 2)
    }
  }

  @Test func `15: a list is filtered by words of its titles, page by page`() async throws {
    try await withTemporaryStore { store in
      for title in ["Été à Paris", "Banana bread", "Winter", "banana split"] {
        _ = try await store.createSession(title: title)
      }
      let untitled = try await store.createSession()
      try await untitled.append(.prompt("A BANANA, please"))
      func titles(_ text: String, limit: Int = 50) async throws -> [String?] {
        var found: [String?] = []
        var cursor: Session.Cursor?
        repeat {
          let page = try await store.sessions(.init(text: text), limit: limit, after: cursor)
          #expect(page.sessions.count <= limit)
          found += page.sessions.map(\.name)
          cursor = page.next
        } while cursor != nil
        return found
      }
      #expect(try await titles("ete") == ["Été à Paris"])
      let all = try await titles("banana")
      #expect(Set(all) == ["Banana bread", "banana split", "A BANANA, please"])
      #expect(try await titles("banana", limit: 1) == all)
      #expect(try await titles("ban* -bread").count == 2)
      #expect(try await titles("banan").isEmpty)
      let error = await keepsakeError { try await store.sessions(.init(text: "!?")) }
      #expect(error?.code == .invalid)
    }
  }
}
