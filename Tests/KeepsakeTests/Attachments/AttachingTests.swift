import Foundation
import Testing

@testable import Keepsake

@Suite struct `Attaching` {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(store, try await store.createSession())
      #expect(try await store.verify().isSound)
    }
  }

  @Test func `a label that is taken stays on its attachment, and another is given`() async throws {
    try await withSession { _, session in
      try await session.append(.prompt("look"))
      var labels: [[String?]] = []
      for wanted in ["photo", "photo", nil, "file_3", nil] {
        let made = try await session.attach(.init(.bytes([1]), label: wanted), to: 0)
        labels.append([made.label, made.declaredLabel])
      }
      #expect(
        labels == [
          ["photo", nil], ["file_1", "photo"], ["file_2", nil], ["file_3", nil], ["file_4", nil],
        ])
      let fork = try await session.fork()
      #expect(try await fork.attach(.init(.bytes([2]), label: "photo")).label != "photo")
      #expect(try await fork.attachment("photo").session == session.id)
    }
  }

  @Test(arguments: ["", "a\nb", String(repeating: "x", count: 201)])
  func `a label that no model could repeat is refused`(label: String) async throws {
    try await withSession { _, session in
      let error = await keepsakeError {
        try await session.attach(.init(.bytes([1]), label: label))
      }
      #expect(error?.code == .invalid)
    }
  }

  @Test func `places come back, and those that can't be are refused`() async throws {
    try await withSession { _, session in
      try await session.append(
        Entry(
          .response,
          segments: [
            .text("see here"), .structure(try JSON(validating: #"{"a/b": [null]}"#)),
          ]))
      for (place, segment) in [
        (Entry.Attachment.Place.pointer("/a~1b/0"), 1), (.pointer(""), 1), (.range(4..<8), 0),
        (.range(0..<0), 0),
      ] {
        var new = Entry.NewAttachment(.bytes([1]))
        new.segment = segment
        new.place = place
        let made = try await session.attach(new, to: 0)
        #expect(made.place == place)
        #expect(try await session.attachment(made.label) == made)
      }
      for place in [Entry.Attachment.Place.pointer("a"), .pointer("/~2"), .range(-1..<2)] {
        var new = Entry.NewAttachment(.bytes([1]))
        new.place = place
        let wrong = new
        let error = await keepsakeError { try await session.attach(wrong, to: 0) }
        #expect(error != nil)
      }
      for position in [-1, 1, .max] {
        let error = await keepsakeError {
          try await session.attach(.init(.bytes([1])), to: position)
        }
        #expect(error?.code == .outOfRange)
      }
      #expect(try await session.attachments().count == 4)
    }
  }

  @Test func `all that is declared comes back, and equal bytes are kept once`() async throws {
    try await withSession { store, session in
      try await session.append(.prompt("x"))
      let cup = try await session.attach(.init(.bytes([1])), to: 0)
      var new = Entry.NewAttachment(
        .bytes([1]), mediaType: "image/x-cup", fileName: "../cup.png", caption: "a cup",
        madeBy: .step("Draw"))
      new.captions.append(.init("une tasse", author: "Anna"))
      new.reference = "file:///private/tmp/cup.png"
      new.inputs = [.artifact(try #require(cup.artifact?.id)), .entry(0)]
      new.direction = .given
      let made = try await session.attach(new, to: 0)
      #expect(made.mediaType == "image/x-cup")
      #expect(made.fileName == "../cup.png")
      #expect(made.captions == new.captions)
      #expect(made.reference == new.reference)
      #expect(made.inputs == new.inputs)
      #expect(made.direction == .given)
      #expect(made.tool == "Draw")
      #expect(made.artifact == cup.artifact)
      #expect(try await session.entry(at: 0).attachments == [cup, made])
      #expect(try await store.verify().counts.artifacts == 1)
    }
  }

  @Test func `states settle into what they may become, and no other`() async throws {
    try await withSession { _, session in
      let states: [Entry.Attachment.State] = [.pending, .failed, .missing, .remote]
      for state in states {
        let made = try await session.attach(.awaited(state, reference: "r", madeBy: .source))
        #expect(made.state == state)
        #expect(made.basis == .unknown)
        let settled = try await session.settle(made, with: .bytes([1]))
        #expect(settled.state == .present)
        #expect(settled.reference == "r")
        let other = await keepsakeError { try await session.settle(made, with: .bytes([2])) }
        #expect(other?.code == .conflict)
        let gone = await keepsakeError { try await session.settle(made, as: .missing) }
        #expect(gone?.code == .conflict)
        let replaced = try await session.settle(made, as: .superseded)
        #expect(replaced.artifact == settled.artifact)
      }
      for state in [Entry.Attachment.State.present, .erased] {
        let made = try await session.attach(.awaited(madeBy: .user))
        let error = await keepsakeError { try await session.settle(made, as: state) }
        #expect(error?.code == .invalid)
      }
      let nothing = await keepsakeError {
        try await session.attach(.awaited(.present, madeBy: .user))
      }
      #expect(nothing?.code == .invalid)
    }
  }
}
