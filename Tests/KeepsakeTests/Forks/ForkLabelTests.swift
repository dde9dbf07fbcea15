import Foundation
import Testing

@testable import Keepsake

/// What labels name in a fork: what it shows, and nothing else of its parent's.
@Suite struct `A label in a fork` {
  private func parent(_ store: Store) async throws -> Session {
    let session = try await store.createSession()
    try await session.append([.prompt("zero"), .response("one"), .prompt("two")])
    try await session.attach(.labelled("shared"), to: 1)
    try await session.attach(.labelled("further"), to: 2)
    return session
  }

  @Test func `names what it shares`() async throws {
    try await withTemporaryStore { store in
      let fork = try await parent(store).fork(before: 2)
      #expect(try await fork.attachment("shared").position == 1)
    }
  }

  @Test func `does not name what stands further on in its parent`() async throws {
    try await withTemporaryStore { store in
      let fork = try await parent(store).fork(before: 2)
      #expect(try await !fork.hasAttachment("further"))
    }
  }

  @Test func `does not name what its parent attached later`() async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let fork = try await session.fork(before: 2)
      try await session.attach(.labelled("later"), to: 1)
      #expect(try await !fork.hasAttachment("later"))
      #expect(try await session.hasAttachment("later"))
    }
  }

  @Test func `does not name what its parent has bound to no entry, until it is`() async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let loose = try await session.attach(.labelled("loose"))
      let fork = try await session.fork(before: 2)
      #expect(try await !fork.hasAttachment("loose"))
      try await session.bind(loose, to: 1)
      #expect(try await fork.hasAttachment("loose"))
    }
  }

  @Test func `that it shares is not given again, nor one that may yet come to be shared`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let loose = try await session.attach(.labelled("loose"))
      let fork = try await session.fork(before: 2)
      for taken in ["shared", "loose"] {
        let attached = try await fork.attach(.labelled(taken), to: 0)
        #expect(attached.label != taken)
        #expect(attached.declaredLabel == taken)
      }
      try await session.bind(loose, to: 0)
      let labels = try await fork.attachments().map(\.label)
      #expect(Set(labels).count == labels.count, "\(labels)")
      try await expectSound(store)
    }
  }

  @Test func `that it does not show is free`() async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let fork = try await session.fork(before: 2)
      try await session.attach(.labelled("later"), to: 1)
      for free in ["further", "later"] {
        let attached = try await fork.attach(.labelled(free), to: 0)
        #expect(attached.label == free)
        #expect(try await fork.attachment(free).recording == attached.recording)
        #expect(try await session.attachment(free).recording != attached.recording)
      }
      try await expectSound(store)
    }
  }

  @Test func `that is made up goes on counting where the shared ones end`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("zero"), .response("one")])
      let image = try #require(Data(base64Encoded: Pixel.png))
      for _ in 0..<3 { try await session.attach(.init(.data(image), madeBy: .user), to: 0) }
      try await session.attach(.init(.data(image), madeBy: .user), to: 1)
      let fork = try await session.fork(before: 1)
      #expect(try await fork.attach(.init(.data(image)), to: 0).label == "image_4")
      #expect(try await session.attach(.init(.data(image)), to: 0).label == "image_5")
      #expect(try await fork.labels(at: 0) == ["image_1", "image_2", "image_3", "image_4"])
      try await expectSound(store)
    }
  }

  @Test func `is looked up in each of its parents as far as each is shown`() async throws {
    try await withTemporaryStore { store in
      let session = try await parent(store)
      let middle = try await session.fork(before: 2)
      try await middle.append(.prompt("middle two"))
      try await middle.attach(.labelled("further"), to: 2)
      try await middle.attach(.labelled("middles"), to: 0)
      let leaf = try await middle.fork(before: 2)
      #expect(try await leaf.hasAttachment("shared"))
      #expect(try await leaf.hasAttachment("middles"))
      #expect(try await !leaf.hasAttachment("further"))
      #expect(try await middle.attachment("further").session == middle.id)
    }
  }
}
