import Foundation
import Testing

@testable import Keepsake

/// What a fork is when it begins: all that its parent was at the position, and nothing that came after it.
@Suite struct `A new fork` {
  private func response(_ text: String, model: String?) -> Entry {
    var entry = Entry.response(text)
    entry.model = model
    return entry
  }

  /// Two turns by two models, with an image in each.
  private func parent(_ store: Store) async throws -> Session {
    let session = try await store.createSession(
      title: "Fruit", origin: "app", foreignID: "f-1", tags: ["red", "work"],
      metadata: try JSON(validating: #"{"temperature": 1}"#))
    try await session.append(.instructions("Be brief."))
    try await session.append(.prompt("first prompt"))
    try await session.append(response("one", model: "small"))
    try await session.attach(.image("early"), to: 2)
    try await session.attach(.labelled("note"), to: 2)
    try await session.append(.prompt("second prompt"))
    try await session.append(response("two", model: "large"))
    try await session.append(response("by nobody", model: nil))
    try await session.attach(.image("late"), to: 4)
    return session
  }

  struct Expected: Sendable {
    let position: Int
    let preview: String?
    let model: String?
    let cover: String?
    let attachments: Int
  }

  @Test(arguments: [
    Expected(position: 0, preview: nil, model: nil, cover: nil, attachments: 0),
    Expected(position: 1, preview: nil, model: nil, cover: nil, attachments: 0),
    Expected(position: 2, preview: "first prompt", model: nil, cover: nil, attachments: 0),
    Expected(
      position: 3, preview: "first prompt", model: "small", cover: "early", attachments: 2),
    Expected(
      position: 4, preview: "first prompt", model: "small", cover: "early", attachments: 2),
    Expected(
      position: 6, preview: "first prompt", model: "large", cover: "early", attachments: 3),
  ])
  func `has the preview, model, cover and attachments of where it forked`(expected: Expected)
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let before = try await session.summary()
      let fork = try await session.fork(before: expected.position)
      let summary = try await fork.summary()
      #expect(summary.preview == expected.preview)
      #expect(summary.model == expected.model)
      #expect(summary.cover == expected.cover)
      #expect(summary.attachments == expected.attachments)
      #expect(try await fork.attachments().count == expected.attachments)
      #expect(summary.entries == expected.position)
      #expect(summary.bytes == 0, "its own only")
      #expect(summary.forkOf == session.id)
      #expect(try await session.summary() == before)
      try await expectSound(store)
    }
  }

  @Test func `goes on from there with its own preview, model and cover`() async throws {
    try await withTemporaryStore { store in
      let fork = try await parent(store).fork(before: 1)
      try await fork.append(.prompt("another prompt"))
      try await fork.append(response("another answer", model: "other"))
      try await fork.attach(.image("mine"), to: 2)
      let summary = try await fork.summary()
      #expect(summary.preview == "another prompt")
      #expect(summary.model == "other")
      #expect(summary.cover == "mine")
      #expect(summary.attachments == 1)
      #expect(summary.bytes > 0)
      try await expectSound(store)
    }
  }

  @Test func `of a fork has what that shows, wherever it came from`() async throws {
    try await withTemporaryStore { store in
      let middle = try await parent(store).fork(before: 3)
      try await middle.attach(.image("added"), to: 0)
      try await middle.append([.prompt("third prompt"), response("three", model: "middle")])
      let leaf = try await middle.fork()
      #expect(try await leaf.summary().model == "middle")
      #expect(try await leaf.summary().preview == "first prompt")
      #expect(try await leaf.summary().cover == "early")
      #expect(try await leaf.summary().attachments == 3)
      let early = try await leaf.fork(before: 1)
      #expect(try await early.summary().model == nil)
      #expect(try await early.summary().preview == nil)
      #expect(try await early.summary().cover == "added")
      #expect(try await early.summary().attachments == 1)
      try await expectSound(store)
    }
  }

  @Test func `is the same conversation to a person: its title, tags and metadata go with it`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let fork = try await session.fork(before: 3)
      let renamed = try await session.fork(before: 3, title: "Second try")
      #expect(try await fork.summary().title == "Fruit")
      #expect(try await renamed.summary().title == "Second try")
      #expect(try await fork.summary().tags == ["red", "work"])
      #expect(try await fork.metadata() == JSON(validating: #"{"temperature": 1}"#))
      #expect(try await fork.summary().origin == "app")

      try await fork.tag(["blue"], removing: ["red"])
      try await fork.setMetadata(nil)
      try await fork.rename("Fruit, again")
      #expect(try await session.summary().tags == ["red", "work"])
      #expect(try await session.metadata() != nil)
      #expect(try await session.summary().title == "Fruit")
      #expect(try await store.sessions(.init(tag: "blue")).sessions.map(\.id) == [fork.id])
    }
  }

  @Test func `begins with the wording that it shows, not with a later one`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("old words"), .response("answer")])
      let early = try await session.fork()
      try await session.revise(0, to: .prompt("new words"))
      #expect(try await early.fork(before: 1).summary().preview == "old words")
      #expect(try await session.fork(before: 1).summary().preview == "new words")
    }
  }

  @Test func `counts what its parent binds later to an entry that it shows`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("zero"), .response("one")])
      let loose = try await session.attach(.labelled("loose"))
      let fork = try await session.fork()
      let nested = try await fork.fork(before: 1)
      let short = try await session.fork(before: 0)
      #expect(try await fork.summary().attachments == 0)
      try await session.bind(loose, to: 0)
      for (session, count) in [(fork, 1), (nested, 1), (short, 0)] {
        #expect(try await session.summary().attachments == count)
        #expect(try await session.attachments().count == count)
      }
      try await expectSound(store)
    }
  }

  @Test func `takes an id, and refuses one that is taken`() async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let id = UUID()
      #expect(try await session.fork(id: id).id == id)
      #expect(try await store.session(id).count() == 6)
      for taken in [id, session.id] {
        let error = await keepsakeError { try await session.fork(id: taken) }
        #expect(error?.code == .conflict)
      }
    }
  }

  @Test(arguments: [-1, 7, .max, .min])
  func `is refused at a position that is not there`(position: Int) async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let error = await keepsakeError { try await session.fork(before: position) }
      #expect(error?.code == .outOfRange)
      #expect(try await store.sessions().sessions.count == 1)
    }
  }

  @Test func `of an empty session is an empty session`() async throws {
    try await withTemporaryStore { store in
      let fork = try await store.createSession(title: "Empty").fork()
      #expect(try await fork.count() == 0)
      #expect(try await fork.texts() == [])
      try await fork.append(.prompt("zero"))
      #expect(try await fork.texts() == ["zero"])
      #expect(try await fork.summary().preview == "zero")
      try await expectSound(store)
    }
  }

  @Test func `copies no entry and no artifact`() async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let before = try DeletingTests.rows(store)
      _ = try await session.fork()
      let after = try DeletingTests.rows(store)
      for table in ["entry", "attachment", "artifact", "blob", "revision", "tool_call"] {
        #expect(after[table] == before[table], "\(table)")
      }
    }
  }
}
