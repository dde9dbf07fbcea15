import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Files that were imported, and stand there as they did")
struct SeenFilesTests {
  /// A store whose clock is ahead, so that a file that was just written counts as left alone.
  private static func withStore(
    ahead: TimeInterval = 10, _ body: (Store, URL) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let store = try await Store(
        at: folder.appending(path: "Chats.keepsake"), options: .init(now: { Date() + ahead }))
      do { try await body(store, folder) } catch {
        await store.close()
        throw error
      }
      await store.close()
    }
  }

  private static func write(_ lines: [String], to folder: URL) throws -> URL {
    let file = folder.appending(path: "s.jsonl")
    try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: file)
    return file
  }

  private static func known(_ file: URL, in store: Store, format: String? = nil) async throws
    -> ImportReport?
  {
    try await store.knownFile(at: file.path, as: file.path, format: format)
  }

  /// A talk of which one line is damaged, so that there is something to be said of it.
  private static var talk: [String] { ClaudeCodeReadingTests.talk + ["{\"type\":"] }

  @Test func `are known without being read, and the report says the same`() async throws {
    try await Self.withStore { store, folder in
      let file = try Self.write(Self.talk, to: folder)
      #expect(try await Self.known(file, in: store) == nil)
      let first = try await store.importFile(at: file)
      let seen = try #require(try await Self.known(file, in: store))
      let read = try await store.importFile(at: file)
      #expect(seen == read)
      #expect(seen.skipped == first.skipped)
      #expect(seen.skipped.count == 1)
      #expect(seen.sessions.map(\.id) == first.sessions.map(\.id))
      #expect(seen.sessions.map(\.new) == [false])
      #expect(try await Self.known(file, in: store, format: "claude-code") == seen)
      #expect(try await Self.known(file, in: store, format: "codex") == nil)
      #expect(try await store.verify().findings.isEmpty)
    }
  }

  @Test func `are read again when they were written to, whatever their time says`() async throws {
    try await Self.withStore { store, folder in
      let file = try Self.write(Self.talk, to: folder)
      try await store.importFile(at: file)
      let times = try FileManager.default.attributesOfItem(atPath: file.path)
      // As long as before, with the time that it had.
      var bytes = try Data(contentsOf: file)
      bytes[bytes.count / 2] = UInt8(ascii: "x")
      try bytes.write(to: file)
      let time = try #require(times[.modificationDate])
      try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file.path)
      #expect(try await Self.known(file, in: store) == nil)

      let grown =
        Self.talk.dropLast() + [
          ClaudeCodeReadingTests.user("u-9", #""And now?""#, time: 9)
        ]
      _ = try Self.write(Array(Self.talk.dropLast()), to: folder)
      try await store.importFile(at: file)
      _ = try Self.write(Array(grown), to: folder)
      #expect(try await Self.known(file, in: store) == nil)
      #expect(try await store.importFile(at: file).sessions.map(\.added) == [1])
      #expect(try await Self.known(file, in: store) != nil)
    }
  }

  @Test func `are not trusted as long as they may change within one tick of the clock`()
    async throws
  {
    try await Self.withStore(ahead: 0) { store, folder in
      let file = try Self.write(Self.talk, to: folder)
      try await store.importFile(at: file)
      #expect(try await Self.known(file, in: store) == nil)
      #expect(try await store.importFile(at: file).sessions.map(\.added) == [0])
    }
  }

  @Test func `are forgotten with their session`() async throws {
    try await Self.withStore { store, folder in
      let file = try Self.write(Self.talk, to: folder)
      let report = try await store.importFile(at: file)
      try await store.deleteSession(try #require(report.sessions.first).id)
      #expect(try await Self.known(file, in: store) == nil)
      let rows = try store.handle.read { db -> Int in
        let count = try db.connection.prepare("SELECT count(*) FROM seen_file")
        return try count.step() ? count.int(0) : -1
      }
      #expect(rows == 0)
      #expect(try await store.importFile(at: file).sessions.map(\.new) == [true])
    }
  }

  @Test func `are remembered where an older version imported them`() async throws {
    try await Self.withStore { store, folder in
      let file = try Self.write(Self.talk, to: folder)
      try await store.importFile(at: file)
      try await store.handle.write { change in
        try change.db.connection.prepare("DELETE FROM seen_file").run()
      }
      #expect(try await Self.known(file, in: store) == nil)
      try await store.importFile(at: file)
      #expect(try await Self.known(file, in: store) != nil)
    }
  }

  @Test func `in a database are not taken for one session`() async throws {
    try await Self.withStore { store, folder in
      let conversation =
        #"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#
      let file = try Self.write([conversation, conversation], to: folder)
      let report = try await store.importFile(at: file, format: "fine-tuning")
      #expect(!report.sessions.isEmpty)
      #expect(try await Self.known(file, in: store) == nil)
    }
  }
}
