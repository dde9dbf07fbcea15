import Foundation
import Keepsake
import Testing

@Suite("What becomes known of an attachment later")
struct SettlingTests {
  @Test func `a portrait that was promised gets its bytes, across a reload`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(
        Entry(
          .response, segments: [.structure(try JSON(validating: #"{"npc": {"portrait": null}}"#))]))
      var promised = Entry.NewAttachment.awaited(mediaType: .png, madeBy: .step("Portrait"))
      promised.place = .pointer("/npc/portrait")
      let pending = try await session.attach(promised, to: 0)
      #expect(pending.state == .pending)
      await #expect(throws: KeepsakeError.self) { try await pending.data() }

      let again = try await store.session(session.id)
      let found = try await again.attachment(pending.label)
      let bytes = try #require(Data(base64Encoded: Pixel.png))
      try await again.settle(found, with: .data(bytes))
      let entry = try await again.entry(at: 0)
      #expect(entry.attachments.map(\.state) == [.present])
      #expect(entry.attachments[0].place == .pointer("/npc/portrait"))
      #expect(try await entry.attachments[0].data() == bytes)
      #expect(try await again.summary().cover == pending.label)
      await #expect(throws: KeepsakeError.self) {
        try await again.settle(found, with: .bytes([1, 2, 3]))
      }
    }
  }

  @Test func `what once had bytes keeps them, though another attempt took its place`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let first = try await session.attach(.init(.bytes([1, 2, 3]), madeBy: .step("Portrait")))
      try await session.settle(first, as: .superseded)
      let error = await keepsakeError { try await session.settle(first, with: .bytes([4])) }
      #expect(error?.code == .conflict)
      #expect(error?.message.contains("superseded and has its own") == true)
      try await store.sweep(olderThan: .zero)
      #expect(try await session.attachment(first.label).data() == Data([1, 2, 3]))
      #expect(try await store.verify().findings == [])
      // A superseded attachment that never had bytes can still get some.
      let awaited = try await session.attach(.awaited(madeBy: .step("Portrait")))
      try await session.settle(awaited, as: .superseded)
      #expect(try await session.settle(awaited, with: .bytes([5])).state == .present)
    }
  }

  @Test func `a portrait that failed says so`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let pending = try await session.attach(.awaited(madeBy: .step("Portrait")))
      #expect(try await session.settle(pending, as: .failed).state == .failed)
      #expect(try await session.attachments().map(\.state) == [.failed])
    }
  }

  @Test func `several people caption one image`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let image = try await session.attach(
        .init(.bytes([1]), caption: "a cup", madeBy: .response))
      try await session.caption(image, "eine Tasse", author: "Anna")
      let captions = try await session.attachment(image.label).captions
      #expect(captions == [.init("a cup"), .init("eine Tasse", author: "Anna")])
    }
  }

  @Test func `what was recorded without an entry is bound to one once`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("draw"), .response("see here")])
      let image = try await session.attach(.init(.bytes([1]), madeBy: .step("Draw")))
      let place = Entry.Attachment.Place.range(4..<8)
      try await session.bind(image, to: 1, segment: 0, place: place)
      let bound = try await session.entry(at: 1).attachments
      #expect(bound.map(\.place) == [place])
      await #expect(throws: KeepsakeError.self) { try await session.bind(image, to: 0) }
      await #expect(throws: KeepsakeError.self) { try await session.bind(image, to: 2) }
    }
  }
}
