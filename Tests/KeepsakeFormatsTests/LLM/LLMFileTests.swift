import Foundation
import KeepsakeFiles
import KeepsakeSQLite
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// A log database as a file: it is somebody else's, may be damaged or hostile, and is never changed.
@Suite("The file of a log database")
struct LLMFileTests {
  private static let all = LLMReadingTests.all

  /// All files of a folder and their bytes, but for the store.
  private func contents(_ folder: URL) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name != "Chats.keepsake" {
      contents[name] = try Data(contentsOf: folder.appending(path: name))
    }
    return contents
  }

  enum Log: CaseIterable { case none, whole, withoutIndex }

  @Test(arguments: Log.allCases)
  func `neither the file nor what lies beside it changes`(log: Log) async throws {
    try await withStore { store, folder in
      let place = folder.appending(path: "llm")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let database = try LogDatabase(
        in: place, Self.all, LogDatabase.chart, keepsLog: log != .none)
      if log == .withoutIndex {
        try FileManager.default.removeItem(at: place.appending(path: "logs.db-shm"))
      }
      let before = try contents(place)
      #expect(before.count == (log == .none ? 1 : log == .whole ? 3 : 2))
      let report = try await store.importFile(at: database.url)
      #expect(report.sessions.map(\.entries) == [7])
      #expect(try contents(place) == before)
    }
  }

  @Test func `a file that is cut off is refused, and leaves nothing behind`() async throws {
    try await withStore { store, folder in
      let database = try LogDatabase(in: folder, Self.all, LogDatabase.chart)
      let bytes = try database.bytes
      for count in [bytes.count - 4096, bytes.count / 2, 5000] {
        try bytes.prefix(count).write(to: database.url)
        let error = try await #require(throws: FormatError.self) {
          try await store.importFile(at: database.url, format: "llm")
        }
        #expect(error.code == .malformed, "\(error)")
        #expect(error.message.contains("the database is damaged"), "\(error)")
        #expect(throws: FormatError.self) {
          try ImportFiles(at: database.url.path).requireReadable(as: "llm")
        }
      }
      #expect(try await store.sessions().sessions.isEmpty)
    }
  }

  @Test func `a conversation that is damaged keeps no other from being taken over`() async throws {
    try await withStore { store, folder in
      let long = String(repeating: "banana", count: 5000)
      let rows = ["k-1", "k-2", "k-3"].map { id in
        LogDatabase.response(
          "r-\(id)", in: id, prompt: "a", response: id == "k-2" ? long : "b", second: 1)
      }
      let database = try LogDatabase(in: folder, Self.all, rows.joined())
      var bytes = try database.bytes
      let letters = Set("banana".utf8)
      // Pages that one response has for itself: each begins with the number of the next.
      for page in stride(from: 0, to: bytes.count, by: 4096)
      where bytes[(page + 4)..<(page + 4096)].allSatisfy({ letters.contains($0) }) {
        bytes.replaceSubrange(page..<(page + 4), with: [0xFF, 0xFF, 0xFF, 0xFF])
      }
      try bytes.write(to: database.url)
      let report = try await store.importFile(at: database.url)
      #expect(report.sessions.count == 2)
      #expect(report.skipped.map(\.isKept) == [false])
      #expect(report.skipped.first?.reason.contains("damaged") == true, "\(report.skipped)")
      #expect(report.skipped.first?.path == database.url.path)
    }
  }

  @Test func `other databases are not taken for it`() async throws {
    try await withStore { store, folder in
      let other = try LogDatabase(
        in: folder, "CREATE TABLE threads (id TEXT); CREATE TABLE messages (hash TEXT)",
        name: "other.db")
      #expect(try await Format.recognised(in: other.url) == nil)
      let forced = try await #require(throws: FormatError.self) {
        try await store.importFile(at: other.url, format: "llm")
      }
      #expect(forced.message.contains("no tables of llm"), "\(forced)")
      let text = folder.appending(path: "text.db")
      try Data("SQLite format 3, they say".utf8).write(to: text)
      let none = try await #require(throws: FormatError.self) {
        try await store.importFile(at: text, format: "llm")
      }
      #expect(none.message.contains("no SQLite database"), "\(none)")
      #expect(!LLMCodec.recognises(FileHead(Array("SQLite format 3\0".utf8))))
    }
  }

  @Test func `an empty log has no conversation, and says so`() async throws {
    try await withStore { store, folder in
      let database = try LogDatabase(in: folder, Self.all)
      let report = try await store.importFile(at: database.url)
      #expect(report.sessions.isEmpty)
      #expect(report.skipped.map(\.reason) == ["There is no conversation in it."])
    }
  }

  @Test func `a stranger's views, triggers and computed columns don't run`() async throws {
    let hostile = """
      DROP TABLE conversations;
      CREATE VIEW conversations AS SELECT 'k-1' AS id, 'A lie' AS name, 'x' AS model;
      CREATE TRIGGER t1 AFTER INSERT ON responses BEGIN DELETE FROM responses; END;
      CREATE TABLE lies (a TEXT, b TEXT AS (hex(zeroblob(100000000))));
      DROP TABLE schemas;
      CREATE VIRTUAL TABLE schemas USING fts5(id, content);
      ALTER TABLE responses ADD COLUMN heavy TEXT AS (hex(zeroblob(200000000)));
      """
    try await withStore { store, folder in
      let database = try LogDatabase(
        in: folder, Self.all,
        LogDatabase.response("r-1", in: "k-1", prompt: "a", response: "b", second: 1), hostile)
      let before = try database.bytes
      let report = try await store.importFile(at: database.url, format: "llm")
      #expect(report.sessions.map(\.entries) == [2])
      #expect(report.sessions.map(\.title) == [nil])
      #expect(try database.bytes == before)
    }
  }

  @Test func `circles and gaps in a thread come to an end`() async throws {
    try await withStore { store, folder in
      let script = [
        "INSERT INTO threads VALUES ('t-1', NULL, 'm-2', NULL, NULL), ('t-2', NULL, 'n-1', NULL, NULL);",
        LogDatabase.message("m-1", after: "m-2", "user"),
        LogDatabase.part(1, of: "m-1", 0, "text", "a"),
        LogDatabase.message("m-2", after: "m-1", "assistant"),
        LogDatabase.part(2, of: "m-2", 0, "text", "b"),
        LogDatabase.message("n-1", after: "gone", "user"),
        LogDatabase.part(3, of: "n-1", 0, "text", "c"),
      ].joined()
      let database = try LogDatabase(in: folder, Self.all, script)
      let report = try await store.importFile(at: database.url)
      #expect(report.sessions.map(\.entries) == [2, 1])
      #expect(report.skipped.map(\.reason).contains { $0.hasPrefix("Thread t-2") })
    }
  }

  @Test func `all columns are kept, also text that is no UTF-8`() async throws {
    try await withStore { store, folder in
      let script = """
        ALTER TABLE responses ADD COLUMN mood REAL;
        ALTER TABLE responses ADD COLUMN later TEXT;
        """
      let row = LogDatabase.response("r-1", in: "k-1", prompt: "a", response: "b", second: 1)
      let database = try LogDatabase(
        in: folder, Self.all, script, row,
        "UPDATE responses SET mood = 0.5, response_json = CAST(x'FF61' AS TEXT)")
      let contents = try LLMContents(ForeignFile(path: database.url.path))
      var reading = try contents.source(of: contents.conversations[0]).open()
      let record = try #require(try reading.next())
      let response = try #require(try JSON(validating: record.bytes)["response"])
      #expect(response["mood"]?.doubleValue == 0.5)
      #expect(response["response_json"]?["base64"]?.stringValue == "/2E=")
      #expect(response["later"] == nil)
    }
  }

  // MARK: - What it is not

  @Test func `it is not written, and not given back`() async throws {
    let format = try #require(Format(named: "llm"))
    #expect(format.canRead && !format.canWrite && !format.givesBack)
    try await LLMReadingTests.withImport(LogDatabase.chart) { store, _, report in
      let session = try await store.session(report.sessions[0].id)
      let error = try await #require(throws: FormatError.self) {
        try await session.exported(as: "llm")
      }
      #expect(error.message.contains("is read here, and not written"), "\(error)")
      let copy = try await session.exported(as: "json")
      #expect(!copy.bytes.isEmpty)
    }
  }

  @Test func `sessions that came back in a bundle are known again`() async throws {
    try await LLMReadingTests.withImport(LogDatabase.chart) { store, database, report in
      let bundle = try await store.session(report.sessions[0].id).exported(as: "bundle").bytes
      try await withStore { other, folder in
        let file = folder.appending(path: "sessions.tar")
        try Data(bundle).write(to: file)
        try await other.importFile(at: file)
        let again = try await other.importFile(at: database.url)
        #expect(again.sessions.map(\.id) == report.sessions.map(\.id))
        #expect(again.sessions.map(\.added) == [0])
        try database.add(LogDatabase.more)
        let grown = try await other.importFile(at: database.url)
        #expect(grown.sessions.map(\.added) == [2])
      }
    }
  }

  @Test func `a write that was interrupted is not undone here`() async throws {
    try await withStore { store, folder in
      let database = try LogDatabase(in: folder, Self.all, LogDatabase.chart)
      // A killed SQLite leaves a journal beside the database, with the pages as they were before the write.
      var journal = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 1, 0, 0, 0, 0])
      journal += Data([0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0x10, 0]) + Data(count: 512 - 28)
      journal += Data([0, 0, 0, 1]) + (try database.bytes.prefix(4096)) + Data(count: 4)
      let file = folder.appending(path: "logs.db-journal")
      try journal.write(to: file)
      let before = try contents(folder)
      let error = try await #require(throws: FormatError.self) {
        try await store.importFile(at: database.url, format: "llm")
      }
      #expect(error.message.contains("a program was interrupted"), "\(error)")
      #expect(try contents(folder) == before)
    }
  }

  @Test func `only a log with one conversation is taken into a session`() async throws {
    try await withStore { store, folder in
      let session = try await store.createSession()
      let database = try LogDatabase(in: folder, Self.all, LogDatabase.chart)
      let report = try await store.importFile(at: database.url, into: session)
      #expect(report.sessions.map(\.id) == [session.id])
      try database.add("INSERT INTO threads VALUES ('t-2', NULL, 'm-2', NULL, NULL);")
      let error = try await #require(throws: FormatError.self) {
        try await store.importFile(at: database.url, into: session)
      }
      #expect(error.message.contains("there are 2 conversations in it"), "\(error)")
    }
  }

  @Test func `it is told how far an import is`() async throws {
    try await withStore { store, folder in
      let rows = (0..<30).map {
        LogDatabase.response("r-\($0)", in: "k-\($0)", prompt: "a", response: "b\($0)", second: 1)
      }
      let database = try LogDatabase(in: folder, Self.all, rows.joined())
      let told = Locked<[Double]>([])
      let report = try await store.importFile(at: database.url) { part in
        told.withLock { $0.append(part) }
      }
      #expect(report.sessions.count == 30)
      let parts = told.withLock { $0 }
      #expect(parts.count == 30 && parts.last == 1 && parts == parts.sorted())
    }
  }
}
