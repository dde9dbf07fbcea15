import Foundation
import Keepsake
import Testing

@Suite("Auditing")
struct AuditTests {
  static let drawing = Entry.ToolCall(
    id: "call-1", tool: "Draw", arguments: #"{"what":  "banana"}"#)

  /// A prompt, a call, its run, an image that the run made, the output and the answer.
  static func fill(_ session: Session, image: [UInt8] = [1, 2, 3]) async throws -> Entry.Attachment
  {
    try await session.append([.instructions("You draw fruit."), .prompt("Draw a banana.")])
    try await session.append(.toolCalls([drawing]))
    let run = try await session.begin(
      .tool, "Draw",
      .init(
        arguments: drawing.arguments, implementation: "Draw.swift", version: "2", model: "painter",
        parameters: #"{"seed": 1}"#), callID: drawing.id)
    var new = Entry.NewAttachment(
      .bytes(image), mediaType: .png, fileName: "b.png", caption: "a banana",
      madeBy: .invocation(run))
    new.reference = "/tmp/b.png"
    let made = try await session.attach(new)
    try await session.end(run, .finished, output: made.label)
    var output = Entry.toolOutput(for: drawing, text: "Made \(made.label).")
    output.lane = "chat"
    try await session.append(output)
    try await session.append(.response("Here it is."))
    return made
  }

  @Test func `an artifact leads back to its run, call, prompt and session`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession(title: "Fruit")
      let made = try await Self.fill(session)
      let id = try #require(made.artifact?.id)
      let trail = try await store.audit(id)
      #expect(trail.size == 3)
      #expect(trail.next == nil)
      let found = try #require(trail.attachments.first)
      #expect(trail.attachments.count == 1)
      #expect(found.recording == made.recording)
      #expect(found.session == session.id)
      #expect(found.title == "Fruit")
      #expect(found.recordedBy.kind == .app)
      #expect(found.position == 3)
      #expect(found.entryKind == .toolOutput)
      #expect(found.lane == "chat")
      #expect(found.turn == 1)
      #expect(found.call?.position == 2)
      #expect(found.call?.arguments == Self.drawing.arguments)
      #expect(found.callID == "call-1")
      #expect(found.tool == "Draw")
      #expect(found.maker.kind == .toolCall)
      #expect(found.maker.name == "Draw")
      #expect(found.maker.version == "2")
      #expect(found.maker.model == "painter")
      #expect(found.invocation?.outcome == .finished)
      #expect(found.basis == .explicit)
      #expect(
        found.basisReason
          == "It was recorded while the tool ran, and the app said which call asked for the run.")
      #expect(found.prompt?.position == 1)
      #expect(found.prompt?.text == "Draw a banana.")
      #expect(found.reference == "/tmp/b.png")
      #expect(found.caption == "a banana")
      #expect(found.fileName == "b.png")
      let entry = try await session.entry(at: 3)
      #expect(found.entry == entry.id)
      #expect(found.link.session == session.id)
      #expect(found.link.digest.count == 64)
      #expect(found.link.entryDigest?.count == 64)
      let head = try await store.verify().heads.first
      #expect(found.link.head == head?.head)
      #expect(found.link.changes == head?.changes)
    }
  }

  @Test func `a trail survives being encoded`() async throws {
    try await withTemporaryStore { store in
      let made = try await Self.fill(try await store.createSession())
      let trail = try await store.audit(try #require(made.artifact?.id))
      let copy = try JSONDecoder().decode(Audit.Trail.self, from: JSONEncoder().encode(trail))
      #expect(copy.attachments.map(\.link) == trail.attachments.map(\.link))
      #expect(copy.attachments.map(\.prompt) == trail.attachments.map(\.prompt))
      #expect(copy.artifact == trail.artifact)
    }
  }

  @Test func `every attachment of an artifact is told, in pages too`() async throws {
    try await withTemporaryStore { store in
      var recordings: [Int64] = []
      for _ in 0..<7 {
        recordings.append(try await Self.fill(try await store.createSession()).recording)
      }
      let id = Artifact.ID(try await store.artifacts().artifacts[0].id.digest)
      #expect(try await store.audit(id).attachments.map(\.recording) == recordings)
      var paged: [Int64] = []
      var cursor: Audit.Cursor?
      repeat {
        let page = try await store.audit(id, limit: 3, after: cursor)
        paged += page.attachments.map(\.recording)
        cursor = page.next
      } while cursor != nil
      #expect(paged == recordings)
    }
  }

  @Test func `an artifact that is not there is an error`() async throws {
    try await withTemporaryStore { store in
      let id = try #require(Artifact.ID(String(repeating: "0", count: 64)))
      await #expect(throws: KeepsakeError.self) { try await store.audit(id) }
      await #expect(throws: KeepsakeError.self) { try await store.madeInto(id) }
    }
  }

  @Test func `derivations are walked both ways`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("the same cup, but blue"))
      let cup = try await session.attach(.init(.bytes([1]), madeBy: .user))
      let cupID = try #require(cup.artifact?.id)
      var blue = Entry.NewAttachment(.bytes([2]), madeBy: .step("Edit"))
      blue.inputs = [.artifact(cupID), .entry(0)]
      let blueID = try #require(try await session.attach(blue).artifact?.id)
      var large = Entry.NewAttachment(.bytes([3]), madeBy: .step("Enlarge"))
      large.inputs = [.artifact(blueID)]
      let largeID = try #require(try await session.attach(large).artifact?.id)

      #expect(try await store.madeInto(cupID).map(\.artifact) == [blueID])
      #expect(try await store.madeInto(blueID).map(\.tool) == ["Enlarge"])
      #expect(try await store.madeInto(largeID).isEmpty)
      #expect(try await store.madeFrom(largeID).map(\.artifact) == [blueID])
      let from = try await store.madeFrom(blueID)
      #expect(from.map(\.artifact) == [cupID, nil])
      #expect(from.map(\.position) == [nil, 0])
      let trail = try await store.audit(blueID)
      #expect(trail.madeFrom == from)
      #expect(trail.madeInto.map(\.artifact) == [largeID])
    }
  }

  @Test func `what a tool made is listed newest first, in pages without gaps`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var recordings: [Int64] = []
      for index in 0..<10 {
        let made = try await session.attach(
          .init(.bytes([UInt8(index)]), madeBy: .toolCall(Self.drawing)))
        recordings.insert(made.recording, at: 0)
        try await session.attach(.init(.bytes([UInt8(index), 1]), madeBy: .step("Other")))
      }
      var paged: [Audit.Product] = []
      var cursor: Audit.Cursor?
      repeat {
        let page = try await store.audit(tool: "Draw", limit: 4, after: cursor)
        paged += page.products
        cursor = page.next.flatMap { Audit.Cursor($0.description) }
        // What comes meanwhile is newer than any page that is still to come.
        try await session.attach(.init(.bytes([9, 9]), madeBy: .toolCall(Self.drawing)))
      } while cursor != nil
      #expect(paged.map(\.recording) == recordings)
      #expect(paged.allSatisfy { $0.tool == "Draw" && $0.callID == "call-1" })
      #expect(try await store.audit(tool: "Nothing").products.isEmpty)
    }
  }

  @Test func `a session tells what is missing`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession(title: "Fruit")
      _ = try await Self.fill(session)
      let lost = Entry.ToolCall(id: "call-2", tool: "Look", arguments: "{}")
      let other = Entry.ToolCall(id: "call-3", tool: "Draw", arguments: "[]")
      try await session.append(.toolCalls([lost, other]))
      try await session.append(.toolOutput(for: other, text: "one"))
      try await session.append(.toolOutput(for: other, text: "two"))
      let running = try await session.begin(.tool, "Look")
      let sketch = try await session.attach(.init(.bytes([7]), madeBy: .invocation(running)))

      let report = try await session.audit()
      #expect(report.title == "Fruit")
      #expect(report.callsWithoutOutput.map(\.id) == ["call-2"])
      #expect(report.callsWithoutOutput.map(\.position) == [5])
      #expect(report.unendedInvocations.map(\.id) == [running.id])
      #expect(report.unboundInvocations.map(\.id) == [running.id])
      #expect(report.attachments.count == 2)
      #expect(report.attachments.last?.label == sketch.label)
      #expect(report.attachments.last?.basis == .enclosing)
      #expect(
        report.attachments.last?.basisReason
          == "It was recorded while the tool ran; which call asked for the run is not known.")
      #expect(report.head == (try await store.verify().heads.first?.head))
    }
  }

  @Test func `a fork's audit has what it shares, and its own answers count only there`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("Draw."))
      try await session.append(.toolCalls([Self.drawing]))
      let shared = try await session.attach(.init(.bytes([1]), madeBy: .user), to: 0)
      let fork = try await session.fork()
      try await fork.append(.toolOutput(for: Self.drawing, text: "done"))
      let own = try await fork.attach(.init(.bytes([2]), madeBy: .user), to: 2)
      let late = try await session.attach(.init(.bytes([3]), madeBy: .user), to: 0)

      let report = try await fork.audit()
      #expect(report.attachments.map(\.recording) == [shared.recording, own.recording])
      #expect(report.attachments.map(\.prompt?.text) == ["Draw.", "Draw."])
      #expect(report.callsWithoutOutput.isEmpty)
      let parent = try await session.audit()
      #expect(parent.attachments.map(\.recording) == [shared.recording, late.recording])
      #expect(parent.callsWithoutOutput.map(\.id) == ["call-1"])
    }
  }

  @Test func `a large text is not listed as an attachment`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let text = String(repeating: "Lorem ipsum. ", count: 100_000)
      try await session.append(.prompt(text))
      #expect(try await session.audit().attachments.isEmpty)
      #expect(try await store.artifacts().artifacts.isEmpty)
    }
  }
}
