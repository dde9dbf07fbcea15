import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Deleting sessions")
struct DeletingTests {
  static let large = [UInt8](repeating: 9, count: Artifact.inlineLimit + 1)

  /// How many rows each table has that belongs to sessions.
  static func rows(_ store: Store) throws -> [String: Int64] {
    try store.handle.read { db in
      var rows: [String: Int64] = [:]
      for table in [
        "session", "session_metadata", "tag", "entry", "revision", "tool_call", "turn", "artifact",
        "blob", "invocation", "attachment", "derivation", "change", "draft", "draft_piece",
        "search_queue", "document", "saved", "entry_key", "source", "source_piece",
        "source_artifact", "import", "restoring", "removing", "removed_artifact", "trace",
      ] {
        let count = try db.prepare(text: "SELECT count(*) FROM \(table)")
        rows[table] = try count.step() ? count.int64(0) : nil
      }
      return rows
    }
  }

  static func files(_ store: Store) throws -> [String] {
    let root = store.url.appending(path: "artifacts")
    return try FileManager.default.subpathsOfDirectory(atPath: root.path)
      .filter { $0.contains("/") }
  }

  static func isSound(_ store: Store, _ location: SourceLocation = #_sourceLocation) async throws {
    let report = try await store.verify(VerifyOptions(readData: true))
    let findings = report.findings.filter { $0.severity != .harmless }
    #expect(findings.isEmpty, "\(findings)", sourceLocation: location)
  }

  @Test func `a session with everything in it leaves nothing behind`() async throws {
    try await withTemporaryStore { store in
      let empty = try Self.rows(store)
      let session = try await store.createSession(
        title: "Fruit", tags: ["a"], metadata: try JSON(validating: #"{"x": 1}"#))
      let made = try await AuditTests.fill(session, image: Self.large)
      var copy = Entry.NewAttachment(.bytes([1]), madeBy: .step("Edit"))
      copy.inputs = [.artifact(try #require(made.artifact?.id))]
      try await session.attach(copy, to: 1)
      var prompt = try await session.entry(at: 1)
      prompt.segments = [.text("Draw an apple.")]
      try await session.revise(1, to: prompt)
      let turn = try await session.openTurn()
      try await session.close(turn, .answered)
      var tagged = Entry.event("noted")
      tagged.tags = ["b"]
      try await session.append(tagged)
      let draft = try await session.draft()
      draft.update("Once")
      try await draft.flush()
      try await session.save(try await session.entries.all())
      try await store.indexForSearch()

      let removed = try await store.deleteSession(session.id)
      #expect(removed.sessions == 1)
      #expect(removed.entries == 6)
      #expect(removed.attachments == 2)
      #expect(removed.artifacts == 2)
      #expect(removed.artifactBytes == Int64(Self.large.count) + 1)
      #expect(removed.isComplete)
      #expect(try Self.rows(store) == empty)
      #expect(try Self.files(store).isEmpty)
      #expect(try await store.search("apple").hits.isEmpty)
      await #expect(throws: KeepsakeError.self) { try await session.append(.prompt("more")) }
      await #expect(throws: KeepsakeError.self) { try await store.session(session.id) }
      let again = await #expect(throws: KeepsakeError.self) {
        try await store.deleteSession(session.id)
      }
      #expect(again?.code == .notFound)
      try await Self.isSound(store)
    }
  }

  @Test func `observers hear of it, and the log keeps it`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession(title: "Secret title")
      let events = store.events
      try await store.deleteSession(session.id)
      for await event in events {
        if case .deleted(let id) = event {
          #expect(id == session.id)
          break
        }
      }
      let log = try store.handle.read { db in
        let find = try db.prepare("SELECT event || ' ' || detail FROM log")
        return try find.step() ? find.text(0) : ""
      }
      #expect(log.hasPrefix("delete"))
      #expect(log.contains(session.id.uuidString.lowercased()))
      #expect(!log.contains("Secret"))
    }
  }

  @Test(arguments: [Artifact.inlineLimit, Artifact.inlineLimit + 1])
  func `an artifact that two sessions have goes with the second`(size: Int) async throws {
    try await withTemporaryStore { store in
      let bytes = [UInt8](repeating: 5, count: size)
      let one = try await store.createSession()
      let two = try await store.createSession()
      try await one.attach(.init(.bytes(bytes), madeBy: .user))
      let kept = try await two.attach(.init(.bytes(bytes), madeBy: .user))
      #expect(try await store.deleteSession(one.id).artifacts == 0)
      #expect(try await kept.data() == Data(bytes))
      let copy = try await kept.fileURL()
      #expect(try await store.deleteSession(two.id).artifacts == 1)
      #expect(try Self.files(store).isEmpty)
      #expect(!FileManager.default.fileExists(atPath: copy.path))
      let error = await #expect(throws: KeepsakeError.self) { try await kept.data() }
      #expect(error?.code == .artifactMissing)
      let rows = try Self.rows(store)
      #expect(rows["artifact"] == 0)
      #expect(rows["blob"] == 0)
    }
  }

  @Test func `a handle of removed bytes never gives those that took their number`() async throws {
    try await withTemporaryStore { store in
      let one = try await store.createSession()
      let old = try await one.attach(.init(.bytes([1]), madeBy: .user))
      try await store.deleteSession(one.id)
      let two = try await store.createSession()
      try await two.attach(.init(.bytes([2]), madeBy: .user))
      let error = await #expect(throws: KeepsakeError.self) { try await old.data() }
      #expect(error?.code == .artifactMissing)
    }
  }

  @Test func `a draft of a deleted session does not write into the next draft`() async throws {
    try await withTemporaryStore { store in
      let one = try await store.createSession()
      let old = try await one.draft()
      try await store.deleteSession(one.id)
      let two = try await store.createSession()
      let new = try await two.draft()
      old.update("of the old one")
      try await old.flush()
      new.update("of the new one")
      try await new.flush()
      #expect(try await two.drafts().map(\.text) == ["of the new one"])
      await #expect(throws: KeepsakeError.self) { try await old.finish() }
      #expect(try await new.finish().text == "of the new one")
    }
  }

  @Test func `an input stays while something that was made from it is told`() async throws {
    try await withTemporaryStore { store in
      let one = try await store.createSession()
      let cup = try await one.attach(.init(.bytes([1]), madeBy: .user))
      let id = try #require(cup.artifact?.id)
      let two = try await store.createSession()
      var blue = Entry.NewAttachment(.bytes([2]), madeBy: .step("Edit"))
      blue.inputs = [.artifact(id)]
      try await two.attach(blue)
      #expect(try await store.deleteSession(one.id).artifacts == 0)
      #expect(try await store.artifact(id).data() == Data([1]))
      #expect(try await store.artifacts().artifacts.map(\.uses) == [1, 0])
      #expect(try await store.deleteSession(two.id).artifacts == 2)
    }
  }

  @Test func `a large session goes in several transactions`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let empty = try Self.rows(store)
      let session = try await store.createSession()
      let entries = (0..<500).map { Entry.event("number \($0)") }
      try await session.append(entries)
      for index in 0..<20 {
        try await session.attach(.init(.bytes([UInt8(index)]), madeBy: .user), to: index * 10)
      }
      try await store.indexForSearch()
      let handle = store.handle
      let id = session.id
      let number = session.number
      var steps = 0
      try await handle.write { change in _ = try Store.hide(id, in: change) }
      var targets = [RemovalStep.Target.session(number)]
      while let target = targets.popLast() {
        targets += try await handle.write { change in
          try RemovalStep(target, limit: 64, in: change).next
        }
        steps += 1
        // Whatever a crash leaves here can be read and verified, by either verifier.
        if steps % 3 == 0 { try await Self.isSound(store) }
        if steps == 4 { #expect(try OtherVerifier.run(store.url).faults == "") }
      }
      #expect(steps > 8)
      _ = try await store.handle.finishClearing()
      #expect(try await store.handle.cutLog())
      #expect(try Self.rows(store) == empty)
    }
  }

  @Test func `what a crash left of a deletion goes with the next sweep`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let empty = try Self.rows(store)
      let session = try await store.createSession()
      try await session.append((0..<50).map { Entry.event("\($0)") })
      try await session.attach(.init(.bytes(Self.large), madeBy: .user))
      let (id, number) = (session.id, session.number)
      try await store.handle.write { change in
        _ = try Store.hide(id, in: change)
        _ = try RemovalStep(.session(number), limit: 10, in: change)
      }
      let removed = try await store.sweep(olderThan: .zero)
      #expect(removed.sessions == 1)
      #expect(removed.entries == 40)
      #expect(removed.artifacts == 1)
      #expect(try Self.rows(store) == empty)
      #expect(try Self.files(store).isEmpty)
    }
  }
}
