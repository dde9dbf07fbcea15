import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Erasing")
struct ErasingTests {
  /// What is in no file of the store when it is gone.
  private func traces(of text: String, in store: Store) throws -> [String] {
    let folder = store.url
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
      var isFolder: ObjCBool = false
      let file = folder.appending(path: path)
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
        !isFolder.boolValue
      else { return false }
      return try Data(contentsOf: file).range(of: Data(text.utf8)) != nil
    }
  }

  @Test func `an erased entry keeps its place, and nothing of it is in any file`() async throws {
    // Reading the files at the end drops SQLite's locks, so this store is used by nobody then.
    let store = try await Store.temporary()
    let session = try await store.createSession(title: "Fruit")
    let word = "kumquatkumquat"
    var prompt = Entry.prompt("\(word) please")
    prompt.tags = ["t-\(word)"]
    let bytes = Array("picture of \(word)".utf8)
    var picture = Entry.NewAttachment(
      .bytes(bytes), fileName: "\(word).txt", caption: "a \(word)", madeBy: .user)
    picture.reference = "/tmp/\(word)"
    let stored = try await session.append(prompt, attaching: [picture])
    prompt.segments = [.text("\(word) twice"), .attachment(0)]
    try await session.revise(0, to: prompt)
    try await session.append([.response("Here."), .prompt("thanks")])
    try await store.indexForSearch()
    let copy = try await stored.attachments[0].fileURL()
    #expect(try await session.summary().preview?.contains(word) == true)

    let removed = try await session.erase(0)
    #expect(removed.entries == 1)
    #expect(removed.attachments == 1)
    #expect(removed.artifacts == 1)
    #expect(removed.isComplete)
    #expect(!FileManager.default.fileExists(atPath: copy.path))

    let entry = try await session.entry(at: 0)
    #expect(entry.isErased)
    #expect(entry.kind == .prompt)
    #expect(entry.id == stored.id)
    #expect(entry.text.isEmpty)
    #expect(entry.tags.isEmpty)
    #expect(entry.attachments.map(\.state) == [.erased])
    #expect(entry.attachments.map(\.label) == stored.attachments.map(\.label))
    #expect(entry.attachments[0].artifact == nil)
    #expect(try await session.revisions(of: 0).map(\.entry.isErased) == [true])
    #expect(try await session.summary().preview == "thanks")
    #expect(try await session.summary().title == "Fruit")
    #expect(try await store.search(word).hits.isEmpty)
    #expect(try await store.search("thanks").hits.count == 1)
    try await DeletingTests.isSound(store)
    // The entry, its revision and its attachment.
    #expect(try await store.verify().counts.erased == 3)

    #expect(try await session.erase(0) == Removal())
    #expect(try OtherVerifier.run(store.url).faults == "")
    await store.close()
    #expect(try traces(of: word, in: store).isEmpty)
    try FileManager.default.removeItem(at: store.url)
  }

  @Test func `the runs of erased calls forget what they were told and what they gave`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      _ = try await AuditTests.fill(session)
      try await session.erase(2)
      var run = try #require(try await session.invocations().first)
      #expect(run.description.arguments == nil)
      #expect(run.description.parameters == nil)
      #expect(run.description.version == "2")
      #expect(run.output != nil)
      try await session.erase(3)
      run = try #require(try await session.invocations().first)
      #expect(run.output == nil)
      #expect(run.outcome == .finished)
      let audit = try await session.audit()
      #expect(audit.attachments.map(\.state) == [.erased])
      #expect(audit.attachments.map(\.arguments) == [nil])
      #expect(audit.attachments.map(\.tool) == ["Draw"])
      #expect(audit.callsWithoutOutput.isEmpty)
      try await DeletingTests.isSound(store)
    }
  }

  @Test func `bytes that something else has stay, and go with the last`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("zero"), .prompt("one")])
      let first = try await session.attach(.init(.bytes(DeletingTests.large), madeBy: .user), to: 0)
      let second = try await session.attach(
        .init(.bytes(DeletingTests.large), madeBy: .user), to: 1)
      #expect(try await session.erase(first).artifacts == 0)
      #expect(try await second.data().count == DeletingTests.large.count)
      #expect(try await session.erase(second).artifacts == 1)
      #expect(try DeletingTests.files(store).isEmpty)
      #expect(try await session.erase(second) == Removal())
      #expect(try await session.summary().attachments == 2)
      try await DeletingTests.isSound(store)
    }
  }

  @Test func `that something was made from it is still told, and keeps no bytes`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let cup = try await session.attach(.init(.bytes([1]), madeBy: .user))
      let id = try #require(cup.artifact?.id)
      var blue = Entry.NewAttachment(.bytes([2]), madeBy: .step("Edit"))
      blue.inputs = [.artifact(id)]
      let made = try await session.attach(blue)
      #expect(try await session.erase(cup).artifacts == 1)
      await #expect(throws: KeepsakeError.self) { try await store.artifact(id) }
      let trail = try await store.audit(try #require(made.artifact?.id))
      #expect(trail.madeFrom.map(\.artifact) == [id])
      try await DeletingTests.isSound(store)
    }
  }

  @Test func `forks lose it too, whoever erases it, and whether or not the parent is there`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("zero"), .response("one"), .prompt("two")])
      let image = try await session.attach(.init(.bytes([1]), madeBy: .response), to: 1)
      let fork = try await session.fork()
      let other = try await fork.fork(before: 2)
      try await session.erase(0)
      #expect(try await fork.entry(at: 0).isErased)
      #expect(try await other.entry(at: 0).isErased)
      #expect(try await other.summary().preview == nil)
      try await store.deleteSession(session.id)
      try await DeletingTests.isSound(store)
      try await other.erase(1)
      #expect(try await fork.entry(at: 1).isErased)
      #expect(try await fork.entry(at: 1).attachments.map(\.state) == [.erased])
      #expect(try await fork.entry(at: 2).text == "two")
      #expect(try await fork.attachments().map(\.recording) == [image.recording])
      try await DeletingTests.isSound(store)
    }
  }

  @Test func `what was erased is neither revised nor appended again`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var entry = Entry.prompt("zero")
      entry.key = "k"
      try await session.append(entry)
      try await session.erase(0)
      let revising = await #expect(throws: KeepsakeError.self) {
        try await session.revise(0, to: entry)
      }
      #expect(revising?.code == .conflict)
      let appending = await #expect(throws: KeepsakeError.self) { try await session.append(entry) }
      #expect(appending?.code == .conflict)
      let error = await #expect(throws: KeepsakeError.self) { try await session.erase(1) }
      #expect(error?.code == .outOfRange)
    }
  }

  @Test func `a text that is kept as an artifact goes with its entry`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt(String(repeating: "Lorem ipsum. ", count: 100_000)))
      #expect(try await session.erase(0).artifacts == 1)
      #expect(try DeletingTests.files(store).isEmpty)
      #expect(try await session.entry(at: 0).text.isEmpty)
      try await DeletingTests.isSound(store)
    }
  }
}
