import Foundation
import Testing

@testable import Keepsake

@Suite("What is refused because it leads nowhere")
struct RefusedContentTests {
  private func wrong(_ change: (inout Entry) throws -> Void) throws -> Entry {
    var entry = Entry.prompt("hello")
    try change(&entry)
    return entry
  }

  @Test func `26: metadata that is no object is refused, of an entry and of a session`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      for text in ["[1]", #""text""#, "1", "true", "null"] {
        let json = try JSON(validating: text)
        let entry = try wrong { $0.metadata = json }
        let errors = [
          await keepsakeError { try await session.append(entry) },
          await keepsakeError { try await session.append([entry]) },
          await keepsakeError { try await session.save([entry]) },
          await keepsakeError { try await session.setMetadata(json) },
          await keepsakeError { try await store.createSession(metadata: json) },
        ]
        #expect(errors.allSatisfy { $0?.code == .invalid }, "\(text)")
        #expect(errors[0]?.message.contains("Metadata is a JSON object") == true)
      }
      #expect(try await session.count() == 0)
      #expect(try await store.sessions().sessions.count == 1)
      try await session.append(wrong { $0.metadata = try JSON(validating: #"{"a":[1]}"#) })
    }
  }

  @Test func `26: a segment that stands for an attachment that is not there is refused`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let image = Entry.NewAttachment(.data(Data("image".utf8)))
      for index in [-1, 1, 3] {
        let entry = try wrong { $0.segments.append(.attachment(index)) }
        let error = await keepsakeError { try await session.append(entry, attaching: [image]) }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains(".attachment(\(index))") == true)
      }
      let entry = try wrong { $0.segments.append(.attachment(0)) }
      #expect(await keepsakeError { try await session.append(entry) } != nil)
      let kept = try await session.append(entry, attaching: [image])
      #expect(kept.segments.count == 2)
      #expect(try await session.count() == 1)
    }
  }

  @Test func `26: a place that the content does not have is refused, then and later`() async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let entry = Entry(
        .toolOutput,
        segments: [
          .text("héllo"), .structure(try JSON(validating: #"{"npc":{"portrait":null}}"#)),
          .text(#"{"images":["a"]}"#),
        ])
      func image(_ place: Entry.Attachment.Place, _ segment: Int?) -> Entry.NewAttachment {
        var image = Entry.NewAttachment(.data(Data("image".utf8)))
        (image.place, image.segment) = (place, segment)
        return image
      }
      let right: [(Entry.Attachment.Place, Int?)] = [
        (.pointer("/npc/portrait"), 1), (.pointer("/npc/portrait"), nil),
        (.pointer("/images/0"), 2),
        (.range(0..<6), 0), (.pointer(""), 1), (.pointer("/npc/picture"), 1),
      ]
      let other: [(Entry.Attachment.Place, Int?)] = [
        (.pointer("/hero/portrait"), 1), (.pointer("/npc/portrait"), 0),
        (.pointer("/images/1"), nil),
        (.range(0..<7), 0), (.pointer("/npc"), 70), (.range(0..<1), 1),
      ]
      for (place, segment) in other {
        let new = image(place, segment)
        #expect(await keepsakeError { try await session.append(entry, attaching: [new]) } != nil)
      }
      #expect(try await session.count() == 0)
      try await session.append(entry, attaching: right.map { image($0.0, $0.1) })
      for (place, segment) in right { try await session.attach(image(place, segment), to: 0) }
      for (place, segment) in other {
        let new = image(place, segment)
        let error = await keepsakeError { try await session.attach(new, to: 0) }
        #expect(error?.message.contains("Can't attach at") == true, "\(place) \(segment ?? -1)")
      }
      #expect(try await session.entry(at: 0).attachments.count == 2 * right.count)
    }
  }

  @Test func `26: an empty tag is refused`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession(tags: ["a"])
      let entry = try wrong { $0.tags = ["a", ""] }
      #expect(await keepsakeError { try await session.append(entry) }?.code == .invalid)
      #expect(await keepsakeError { try await session.tag([""]) }?.code == .invalid)
      #expect(await keepsakeError { try await store.createSession(tags: [""]) }?.code == .invalid)
      // An older version may have stored an empty tag, so removing one is allowed.
      try await session.tag([], removing: [""])
      #expect(try await session.summary().tags == ["a"])
    }
  }
}
