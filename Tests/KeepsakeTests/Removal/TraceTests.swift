import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Words that nobody else says are put wherever a session can hold something, and looked for in every file afterwards.
@Suite("What removing leaves in the store's files")
struct TraceTests {
  private static let word = "zqvkxjwmyhgplfdr"
  /// What is left of it where an index leaves out what two words begin with.
  private static let tail = String(word.dropFirst(5))

  private func expectNoTrace(
    in store: URL, _ comment: Comment, _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try StoreFiles.holding(Self.tail, in: store) == [], comment, sourceLocation: location)
    let names = try FileManager.default.subpathsOfDirectory(atPath: store.path)
    #expect(!names.contains { $0.contains(Self.tail) }, comment, sourceLocation: location)
  }

  /// Other sessions, so that pages are shared and split.
  private func fillAround(_ store: Store, _ round: Int) async throws {
    for number in 0..<12 {
      let session = try await store.createSession(
        title: "Other \(round) \(number)", tags: ["t\(number)", "z\(number)"])
      try await session.append((0..<8).map { .prompt("others say other things \($0) \(number)") })
      try await session.attach(.labelled("other \(round) \(number)"), to: 2)
    }
  }

  private func append(_ number: Int, to session: Session) async throws {
    var prompt = Entry.prompt(
      "\(Self.word) \(String(repeating: "again \(Self.word) ", count: 40 * number))")
    prompt.key = "key \(Self.word) \(number)"
    prompt.tags = ["tag-\(Self.word)-\(number)"]
    prompt.lane = "lane \(Self.word)"
    prompt.author = "author \(Self.word)"
    let small = Array("small \(Self.word) \(number)".utf8)
    var attachment = Entry.NewAttachment(
      .bytes(small), fileName: "\(Self.word).txt", caption: "a \(Self.word)", madeBy: .user)
    attachment.reference = "/tmp/\(Self.word)"
    try await session.append(prompt, attaching: [attachment])
  }

  /// A session that says the word wherever it can.
  private func session(_ store: Store) async throws -> Session {
    let session = try await store.createSession(
      title: "title \(Self.word)", origin: "origin \(Self.word)", foreignID: "id \(Self.word)",
      tags: ["tag-\(Self.word)"], metadata: try JSON(validating: "{\"m\": \"\(Self.word)\"}"))
    for number in 0..<20 { try await append(number, to: session) }
    let large = Array(String(repeating: "large \(Self.word) ", count: 8000).utf8)
    #expect(large.count > Artifact.inlineLimit)
    let file = try await session.attach(
      .init(
        .bytes(large), fileName: "large-\(Self.word).txt", label: "label-\(Self.word)",
        madeBy: .user))
    _ = try await file.fileURL()
    let call = Entry.ToolCall(tool: "tool-\(Self.word)", arguments: "{\"a\": \"\(Self.word)\"}")
    try await session.append(.toolCalls([call]))
    let run = try await session.begin(
      .tool, "tool-\(Self.word)", .init(arguments: "{\"r\": \"\(Self.word)\"}"), callID: call.id)
    try await session.end(run, .finished, output: "output \(Self.word)")
    try await session.append(.toolOutput(for: call, text: "answer \(Self.word)"))
    var first = try await session.entry(at: 0)
    first.segments = [.text("revised \(Self.word)")]
    try await session.revise(0, to: first)
    let draft = try await session.draft()
    draft.update("draft \(Self.word)")
    try await draft.flush()
    try await session.save(try await session.entries.all())
    return session
  }

  /// How a session goes.
  enum Way: CaseIterable {
    case deleted, deletedWithOthers, deletedWithItsFork, imported
  }

  @Test(arguments: Way.allCases)
  func `G9: nothing of a deleted session is in any file when deleting returns`(way: Way)
    async throws
  {
    let folder = try TestFolder()
    var options = Store.Options()
    options.searchDelay = nil
    let store = try Store(path: folder.store.path, options: options)
    try await fillAround(store, 1)
    let session: Session
    if way == .imported {
      let file = (0..<300).map { "\(Self.word)\($0)|prompt|text \(Self.word) \($0)\n" }.joined()
      let source = LineFormat.source(
        file, name: "\(Self.word).lines", foreignID: "id \(Self.word)")
      session = try await store.session(try await store.importing(source).sessions[0].id)
    } else {
      session = try await self.session(store)
    }
    try await fillAround(store, 2)
    try await store.indexForSearch()
    let fork = way == .deletedWithItsFork ? try await session.fork(before: 10) : nil
    try await fork?.append(.prompt("fork \(Self.word)"))
    try await store.indexForSearch()
    #expect(try StoreFiles.holding(Self.tail, in: folder.store) != [])

    switch way {
    case .deleted, .imported:
      #expect(try await store.deleteSession(session.id).isComplete)
    case .deletedWithOthers:
      let others = try await store.sessions(limit: 3).sessions.map(\.id)
      let removed = try await store.deleteSessions(others + [session.id])
      #expect(removed.count == 4)
      #expect(removed.values.allSatisfy { $0.isComplete && $0.sessions == 1 })
    case .deletedWithItsFork:
      try await store.deleteSession(session.id)
      #expect(
        try StoreFiles.holding(Self.tail, in: folder.store) != [], "the fork shows some of it")
      #expect(try await store.deleteSession(try #require(fork).id).isComplete)
    }
    try expectNoTrace(in: folder.store, "when it returned")
    try await store.createSession().append(.prompt("another"))
    try expectNoTrace(in: folder.store, "after the next write")
    #expect(try DeletingTests.rows(store)["trace"] == 0)
    #expect(try await store.verify(.init(readData: true)).isSound)
    await store.close()
    try expectNoTrace(in: folder.store, "when it is closed")
  }

  @Test func `G9: nothing of what was erased is in any file when erasing returns`() async throws {
    let folder = try TestFolder()
    var options = Store.Options()
    options.searchDelay = nil
    let store = try Store(path: folder.store.path, options: options)
    try await fillAround(store, 1)
    let session = try await store.createSession(title: "Title")
    for number in 0..<6 { try await append(number, to: session) }
    var prompt = try await session.entry(at: 3)
    prompt.segments = [.text("revised \(Self.word)")]
    try await session.revise(3, to: prompt)
    let large = Array(String(repeating: "large \(Self.word) ", count: 8000).utf8)
    let file = try await session.attach(
      .init(.bytes(large), fileName: "\(Self.word).txt", madeBy: .user))
    _ = try await file.fileURL()
    try await fillAround(store, 2)
    try await store.indexForSearch()
    for position in 0..<6 { #expect(try await session.erase(position).isComplete) }
    #expect(try await session.erase(file).isComplete)
    // What names an entry, or says who wrote it and where, is no content: it stays.
    let left = try await session.entry(at: 0)
    #expect(left.key?.contains(Self.word) == true && left.author?.contains(Self.word) == true)
    for kept in ["key ", "lane ", "author "] {
      #expect(try StoreFiles.holding(kept + Self.word, in: folder.store).count == 1)
    }
    for gone in [
      "again ", "revised ", "tag-", "small ", "large ", "a ", "/tmp/",
    ] {
      #expect(try StoreFiles.holding(gone + Self.word, in: folder.store) == [], "\(gone)")
    }
    let index = try store.handle.read { db in
      try db.integer(
        "SELECT count(*) FROM search_data WHERE instr(block, CAST('xjwmyhgplfdr' AS BLOB)) > 0")
    }
    #expect(index == 0)
    await store.close()
  }

  @Test func `a log that a reader holds is cut once it lets go, and isComplete says so`()
    async throws
  {
    let folder = try TestFolder()
    var options = Store.Options()
    options.searchDelay = .milliseconds(1)
    let store = try Store(path: folder.store.path, options: options)
    let session = try await store.createSession(title: Self.word)
    try await session.append(.prompt(Self.word))
    let reader = try Connection(
      path: folder.store.appending(path: "store.sqlite").path, access: .readOnly)
    try reader.execute("BEGIN; SELECT count(*) FROM session")
    let removed = try await store.deleteSession(session.id)
    #expect(removed.sessions == 1)
    #expect(!removed.isComplete)
    #expect(try StoreFiles.holding(Self.tail, in: folder.store) != [])
    try reader.execute("COMMIT")
    try await store.createSession().append(.prompt("another"))
    let deadline = Instant.now.advanced(by: .seconds(60))
    while try StoreFiles.holding(Self.tail, in: folder.store) != [] {
      try #require(Instant.now < deadline)
      try await Task.sleep(for: .milliseconds(5))
    }
    reader.close()
    await store.close()
  }

  @Test func `what a kill left of an erasure goes once the store is opened for writing`()
    async throws
  {
    let folder = try TestFolder()
    var options = Store.Options()
    options.searchDelay = nil
    let store = try Store(path: folder.store.path, options: options)
    let session = try await store.createSession()
    let large = Array(String(repeating: "large \(Self.word) ", count: 8000).utf8)
    try await session.append(
      .prompt("text \(Self.word)"), attaching: [.init(.bytes(large), madeBy: .user)])
    try await session.append((0..<20).map { .prompt("other words \($0)") })
    try await store.indexForSearch()
    // The transaction, and no more.
    _ = try await store.handle.write { change in
      var erasure = try Erasure(
        of: session.lineage.id(of: 0), handle: session.handle, in: change)
      try erasure.eraseEntry()
      return try erasure.finish().removed
    }
    await store.close()
    #expect(try StoreFiles.holding(Self.tail, in: folder.store).count > 1)
    options.searchDelay = .milliseconds(1)
    let again = try Store(path: folder.store.path, options: options)
    let deadline = Instant.now.advanced(by: .seconds(60))
    while try StoreFiles.holding(Self.tail, in: folder.store) != [] {
      try #require(Instant.now < deadline)
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try await again.verify(.init(readData: true)).isSound)
    await again.close()
  }

  @Test func `a large search index is rewritten in pieces, between which others write`()
    async throws
  {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      var random = SeededGenerator(seed: 40)
      for _ in 0..<15 {
        try await session.append(
          (0..<20).map { _ in
            .prompt(
              (0..<100).map { _ in "w\(Int.random(in: 0..<1_000_000, using: &random))" }.joined(
                separator: " "))
          })
      }
      let gone = try await store.createSession()
      try await gone.append(.prompt(Self.word))
      try await store.indexForSearch()
      let id = gone.id
      try await store.handle.write { change in
        let number = try Store.hide(id, in: change)
        _ = try RemovalStep(.session(number), in: change)
      }
      func pages() throws -> Int64? {
        try store.handle.read {
          try $0.integer(
            "SELECT count(*) FROM search_data WHERE instr(block, CAST('xjwmyhgplfdr' AS BLOB)) > 0")
        }
      }
      #expect(try pages() ?? 0 > 0)
      var pieces = 0
      while try await store.handle.write({ try Trace.rewriteIndex(in: $0.db, pages: 8) }) {
        pieces += 1
        // What comes between, and is deleted as well, is rewritten with it.
        if pieces == 2 {
          let other = try await store.createSession()
          try await other.append(.prompt("\(Self.word) once more"))
          try await store.indexForSearch()
          try await store.handle.write { change in
            let number = try Store.hide(other.id, in: change)
            _ = try RemovalStep(.session(number), in: change)
          }
        }
        try #require(pieces < 200)
      }
      #expect(pieces > 3)
      #expect(try pages() == 0)
      #expect(try await store.search("w1").hits.isEmpty)
      #expect(try await store.verify().isSound)
    }
  }
}
