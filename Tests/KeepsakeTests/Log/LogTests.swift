import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite(
  "The log of a store", .disabled(if: SharedStores.areUsed, "Stores that share import no files."))
struct LogTests {
  private func events(_ store: Store) async throws -> [String] {
    try await store.log().lines.reversed().map(\.event.rawValue)
  }

  @Test func `an import, a deletion, a sweep and compaction are in it, newest first, by pages`()
    async throws
  {
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    try await withTemporaryStore(options: .init(now: { now })) { store in
      #expect(try await store.log().lines.isEmpty)
      let report = try await store.importing(LineFormat.source("a|prompt|Secret words\n"))
      // The same again does nothing, and says nothing.
      _ = try await store.importing(LineFormat.source("a|prompt|Secret words\n"))
      let session = report.sessions[0].id
      try await store.session(session).erase(0)
      try await store.deleteSession(session)
      try await store.sweep()
      try await store.compact()
      #expect(
        try await events(store) == ["import", "erase", "delete", "purge", "sweep", "compact"])
      let first = try await store.log(limit: 4)
      let rest = try await store.log(limit: 4, after: first.next)
      #expect(first.lines.map(\.event) == [.compact, .sweep, .purge, .delete])
      #expect(rest.lines.map(\.event) == [.erase, .import])
      #expect(rest.next == nil)
      let line = try #require(rest.lines.last)
      #expect(line.time == now)
      #expect(line.detail["session"]?.stringValue == session.uuidString.lowercased())
      #expect(line.detail["format"]?.stringValue == "lines")
      #expect(line.detail["entries"]?.intValue == 1)
      for line in first.lines + rest.lines { #expect(!line.detail.text.contains("Secret")) }
    }
  }

  @Test func `a session that its forks need is purged with the last of them`() async throws {
    try await withTemporaryStore { store in
      let parent = try await store.createSession()
      try await parent.append(.prompt("one"))
      let fork = try await parent.fork()
      try await store.deleteSession(parent.id)
      #expect(try await events(store) == ["delete"])
      try await store.deleteSession(fork.id)
      #expect(try await events(store) == ["delete", "delete", "purge", "purge"])
      let purged = try await store.log(limit: 2).lines.map { $0.detail["session"]?.stringValue }
      #expect(purged == [parent.id, fork.id].map { $0.uuidString.lowercased() })
    }
  }

  @Test func `an import that fails in the middle is said to have been undone`() async throws {
    try await withTemporaryStore { store in
      let file = (0..<600).map { "\($0)|prompt|Line \($0).\n" }.joined()
      let opened = Locked(0)
      let source = ForeignSource(format: "lines", name: "x") {
        let isSecond = opened.withLock {
          $0 += 1
          return $0 == 2
        }
        return Failing(reading: LineFormat(file), after: isSecond ? 500 : .max)
      }
      await #expect(throws: LineFormat.Bad.self) { try await store.importing(source) }
      let lines = try await store.log().lines
      #expect(lines.map(\.event) == [.purge, .abandon])
      #expect(lines.last?.detail["format"]?.stringValue == "lines")
    }
  }

  /// Bytes in the database, and bytes in a file.
  @Test(arguments: [10, 300_000])
  func `bytes that came once more where they were damaged are a repair, and only there`(size: Int)
    async throws
  {
    let folder = try TestFolder()
    let original = [UInt8](repeating: 7, count: size)
    var store = try await Store(at: folder.store)
    var session = try await store.createSession()
    let artifact = try #require(try await session.attach(.init(.bytes(original))).artifact)
    try await session.attach(.init(.bytes(original)))
    #expect(try await store.log().lines.isEmpty)
    await store.close()
    if size > Artifact.inlineLimit {
      let hex = artifact.id.hex
      let file = folder.store.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
      try FileManager.default.removeItem(at: file)
    } else {
      let program = try OtherProgram(
        "/usr/bin/env",
        [
          "sqlite3", folder.store.appending(path: "store.sqlite").path,
          "UPDATE blob SET bytes = CAST('other' AS BLOB)",
        ])
      #expect(program.succeeds())
    }
    store = try await Store(at: folder.store)
    session = try await store.session(session.id)
    for _ in 0..<2 { try await session.attach(.init(.bytes(original))) }
    let lines = try await store.log().lines
    #expect(lines.map(\.event) == [.repair])
    #expect(lines.first?.detail["artifact"]?.stringValue == artifact.id.description)
    await store.close()
  }

  @Test func `a line of a newer version is read, and one that is damaged is told`() async throws {
    try await withTemporaryStore { store in
      try await store.handle.write { change in
        try change.db.execute("INSERT INTO log (time, event, detail) VALUES (1, 'dance', NULL)")
      }
      let line = try #require(try await store.log().lines.first)
      #expect(line.event == .init(rawValue: "dance"))
      #expect(line.detail == .object([]))
      try await store.handle.write { change in
        try change.db.execute("INSERT INTO log (time, event, detail) VALUES (1, 'dance', '{')")
      }
      let error = await keepsakeError { try await store.log() }
      #expect(error?.code == .damaged)
    }
  }

  /// A file that can't be read to its end.
  private struct Failing: SourceReading {
    var reading: LineFormat
    var after: Int

    mutating func next() throws -> SourceRecord? {
      after -= 1
      if after < 0 { throw LineFormat.Bad() }
      return try reading.next()
    }
  }
}
