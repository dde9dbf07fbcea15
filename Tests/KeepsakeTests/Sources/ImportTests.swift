import Foundation
import KeepsakeFiles
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Importing", .disabled(if: SharedStores.areUsed, "Stores that share import no files."))
struct ImportTests {
  static let start = "# a talk\na|instructions|Be kind.\nb|prompt|Draw a banana.\n"
  static let picture = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
  static let drawn = start + "c|response|@" + picture.base64EncodedString() + "\n"

  @Test func `a file becomes a session, and is given back to the byte`() async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.drawn))
      #expect(report.sessions.map(\.entries) == [3])
      #expect(report.sessions.map(\.new) == [true])
      #expect(
        report.artifacts
          == {
            var a = ImportReport.Artifacts(); a.new = 1; a.bytes = 3000; return a
          }())
      let session = try await store.session(report.sessions[0].id)
      let entries = try await session.entries.all()
      #expect(entries.map(\.kind) == [.instructions, .prompt, .response])
      #expect(try await entries[2].attachments[0].data() == Self.picture)
      #expect(try session.replayed() == Self.drawn)
      #expect(try session.sourceSheet(format: "lines")?.isWhole == true)
      let cut = try store.handle.read { db in
        try db.integer("SELECT sum(length(bytes)) FROM source_piece")
      }
      #expect(cut == Int64(Self.drawn.utf8.count - 4000))
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
      #expect(try await store.sessions().sessions.map(\.origin) == ["lines"])
    }
  }

  @Test func `the same file again adds nothing`() async throws {
    try await withTemporaryStore { store in
      let first = try await store.importing(LineFormat.source(Self.drawn))
      let before = try await store.verify().heads
      let again = try await store.importing(LineFormat.source(Self.drawn, name: "copy"))
      #expect(again.sessions.map(\.id) == first.sessions.map(\.id))
      #expect(again.sessions.map(\.new) == [false])
      #expect(again.artifacts.new == 0)
      #expect(try await store.verify().heads == before)
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM source") } == 1)
    }
  }

  @Test func `a file that grew adds what is new, and keeps only that`() async throws {
    try await withTemporaryStore { store in
      _ = try await store.importing(LineFormat.source(Self.start))
      let grown = Self.drawn + "d|prompt|Another.\n"
      let report = try await store.importing(LineFormat.source(grown))
      #expect(report.sessions.map(\.added) == [2])
      #expect(report.sessions.map(\.new) == [false])
      let session = try await store.session(report.sessions[0].id)
      #expect(try session.replayed() == grown)
      #expect(try await session.count() == 4)
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM source_piece") } == 5)
      // What was there before it grew is known, too, and adds nothing.
      #expect(try await store.importing(LineFormat.source(Self.start)).sessions[0].added == 0)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `a grown file whose records are spelled anew is still the same session`() async throws
  {
    try await withTemporaryStore { store in
      _ = try await store.importing(LineFormat.source(Self.drawn))
      let grown = Self.drawn.replacing("# a talk\n", with: "#\n") + "d|prompt|Another.\n"
      let report = try await store.importing(LineFormat.source(grown))
      #expect(report.sessions.map(\.added) == [1])
      let session = try await store.session(report.sessions[0].id)
      #expect(try session.replayed() == grown)
      #expect(try await store.artifacts().artifacts.count == 1)
    }
  }

  @Test func `another story is another session`() async throws {
    try await withTemporaryStore { store in
      let first = try await store.importing(
        LineFormat.source("|instructions|Hi.\n|prompt|One\n|response|1\n"))
      let second = try await store.importing(
        LineFormat.source("|instructions|Hi.\n|prompt|Two\n|response|2\n"))
      #expect(first.sessions[0].id != second.sessions[0].id)
      #expect(second.sessions[0].new)
      let grown = try await store.importing(
        LineFormat.source("|instructions|Hi.\n|prompt|One\n|response|1\n|prompt|And?\n"))
      #expect(grown.sessions.map(\.id) == first.sessions.map(\.id))
    }
  }

  /// Keys among a session's first sixteen entries are looked up; one that stands behind them is found by how its file
  /// begins.
  @Test(arguments: [0, 1, 15, 16, 17, 40])
  func `a grown file is known again, wherever its first key stands`(keyless: Int) async throws {
    let beginning = (0..<keyless).map { "|event|\($0)\n" }.joined()
    try await withTemporaryStore { store in
      let first = try await store.importing(LineFormat.source(beginning + "a|prompt|One\n"))
      let other = try await store.importing(LineFormat.source(beginning + "b|prompt|Two\n"))
      #expect(other.sessions.map(\.new) == [true])
      let grown = beginning + "a|prompt|One\n" + "c|response|1\n"
      let again = try await store.importing(LineFormat.source(grown))
      #expect(again.sessions.map(\.id) == first.sessions.map(\.id))
      #expect(again.sessions.map(\.added) == [1])
      let session = try await store.session(first.sessions[0].id)
      #expect(try session.replayed() == grown)
      #expect(try await session.count() == keyless + 2)
    }
  }

  @Test func `an entry that says something else in the session's own file becomes a revision`()
    async throws
  {
    try await withTemporaryStore { store in
      let first = try await store.importing(LineFormat.source(Self.start))
      let changed = Self.start.replacing("banana", with: "cherry")
      let report = try await store.importing(
        LineFormat.source(changed), into: store.session(first.sessions[0].id))
      #expect(report.sessions.map(\.id) == first.sessions.map(\.id))
      #expect(report.sessions.map(\.revised) == [1])
      let session = try await store.session(report.sessions[0].id)
      #expect(try await session.entry(at: 1).text == "Draw a cherry.")
      #expect(try await session.revisions(of: 1).map(\.entry.text) == ["Draw a banana."])
      #expect(try session.replayed() == changed)
      #expect(try session.sourceSheet(format: "lines")?.isWhole == true)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `what is no longer what the file says is known`() async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.drawn))
      let session = try await store.session(report.sessions[0].id)
      try await session.append(.prompt("And now?"))
      let sheet = try #require(try session.sourceSheet(format: "lines"))
      #expect(!sheet.isWhole)
      #expect(sheet.pieces.map(\.isCurrent) == [true, true, true, true])
      try await session.revise(1, to: .prompt("Draw a plum."))
      try await session.attach(.init(.bytes([1]), madeBy: .user), to: 2)
      let changed = try #require(try session.sourceSheet(format: "lines"))
      #expect(changed.pieces.map(\.isCurrent) == [true, true, false, false])
      #expect(changed.pieces.map(\.positions) == [nil, 0..<1, 1..<2, 2..<3])
    }
  }

  @Test func `a fault in the file leaves nothing behind`() async throws {
    try await withTemporaryStore { store in
      await #expect(throws: LineFormat.Bad.self) {
        try await store.importing(LineFormat.source(Self.drawn + "rubbish\n"))
      }
      let sessions = try await store.sessions().sessions
      #expect(sessions.isEmpty)
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM source") } == 0)
    }
  }

  @Test func `a large file is hidden until all of it is there`() async throws {
    try await withTemporaryStore { store in
      let file = (0..<1500).map { "\($0)|\($0 % 2 == 0 ? "prompt" : "response")|text \($0)\n" }
      let seen = Locked<[Int]>([])
      let source = ForeignSource(format: "lines", name: "large") {
        Watched(LineFormat(file.joined())) { position in
          guard position == 1400 else { return }
          let listed = try? store.handle.read {
            try $0.integer("SELECT count(*) FROM session WHERE state = 0")
          }
          seen.withLock { $0.append(Int(listed ?? -1)) }
        }
      }
      let report = try await store.importing(source)
      #expect(report.sessions[0].entries == 1500)
      #expect(seen.withLock { $0 } == [0, 0])
      let session = try await store.session(report.sessions[0].id)
      #expect(try session.replayed() == file.joined())
      #expect(try await store.search("\"text 1499\"").hits.count == 1)
    }
  }

  @Test func `one that fails or is cut off in the middle goes, and the next sweep finishes`()
    async throws
  {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let file = (0..<1500).map { "\($0)|prompt|text \($0)\n" }.joined()
      let opened = Locked(0)
      let failing = ForeignSource(format: "lines", name: "large") {
        let isSecond = opened.withLock {
          $0 += 1; return $0 == 2
        }
        return Watched(LineFormat(file)) { if isSecond, $0 == 1200 { throw LineFormat.Bad() } }
      }
      await #expect(throws: LineFormat.Bad.self) { try await store.importing(failing) }
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM session") } == 0)
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM source_piece") } == 0)

      // As a process leaves it that was killed in between.
      let scan = try ImportScan(LineFormat.source(file))
      let writer = ImportWriter(
        scan: scan, growth: nil, shared: nil, before: nil, isLast: false, bookmark: nil,
        owner: UUID(), handle: store.handle)
      let record = try #require(try LineFormat(file).first())
      var prepared = try PreparedRecord(record, from: 0, standing: .init())
      try await store.handle.takeIn(&prepared)
      let ready = prepared
      _ = try await store.handle.write {
        try writer.write([ready], from: .init(ordinal: 0), in: $0)
      }
      #expect(
        try store.handle.read { try $0.integer("SELECT count(*) FROM session WHERE state = 1") }
          == 1)
      _ = try await store.sweep(olderThan: .zero)
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM session") } == 0)
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM source") } == 0)
    }
  }

  @Test func `deleting the session removes the file it came from`() async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.drawn))
      _ = try await store.importing(LineFormat.source(Self.drawn + "d|prompt|More.\n"))
      try await store.deleteSession(report.sessions[0].id)
      for table in ["session", "source", "source_piece", "source_artifact", "import", "artifact"] {
        let count = try store.handle.read { db in
          let find = try db.prepare(text: "SELECT count(*) FROM \(table)")
          return try find.step() ? find.int(0) : -1
        }
        #expect(count == 0, "\(table)")
      }
    }
  }

  @Test
  func `erasing an entry erases it from the file, and importing that again does not bring it back`()
    async throws
  {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.drawn))
      let session = try await store.session(report.sessions[0].id)
      try await session.erase(2)
      let left = try store.handle.read { db in
        try db.integer(
          "SELECT count(*) FROM source_piece WHERE bytes IS NULL AND spans IS NULL")
      }
      #expect(left == 1)
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM source_artifact") } == 0)
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM artifact") } == 0)
      #expect(
        try session.sourceSheet(format: "lines")?.pieces.map(\.isCurrent) == [
          true, true, true, false,
        ])
      let grown = try await store.importing(LineFormat.source(Self.drawn + "d|prompt|More.\n"))
      #expect(grown.sessions.map(\.added) == [1])
      #expect(try await session.entry(at: 2).isErased)
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM artifact") } == 0)
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `a fork shows the file up to where it forked`() async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.drawn))
      let fork = try await store.session(report.sessions[0].id).fork(before: 2)
      let sheet = try #require(try fork.sourceSheet(format: "lines"))
      #expect(sheet.pieces.map(\.isCurrent) == [true, true, true, false])
      #expect(!sheet.isWhole)
    }
  }

  @Test(arguments: [
    "UPDATE source SET name = 'other'", "UPDATE source SET size = size + 1",
    "UPDATE source SET digest = zeroblob(32)", "UPDATE source SET format = 'x'",
    "UPDATE import SET created = created + 1", "UPDATE import SET first = 1",
    "UPDATE import SET count = 2", "UPDATE import SET salt = zeroblob(16)",
    "UPDATE source_piece SET bytes = x'41' WHERE id & 268435455 = 1",
    "DELETE FROM source_piece WHERE id & 268435455 = 2", "DELETE FROM import",
    "UPDATE source_piece SET spans = spans || ';1,0' WHERE spans IS NOT NULL",
  ])
  func `whoever alters what was imported is found out`(sql: String) async throws {
    try await withTemporaryStore { store in
      _ = try await store.importing(LineFormat.source(Self.drawn))
      try await store.handle.exclusively { db in
        try db.execute("PRAGMA foreign_keys = OFF")
        try db.prepare(text: sql).run()
        try db.execute("PRAGMA foreign_keys = ON")
      }
      #expect(try await !store.verify(.init(readData: true)).isSound)
      // The other verifier computes chains, and does not spell files.
      let isChained = !sql.contains("source_piece")
      #expect(try OtherVerifier.run(store.url).status == (isChained ? 2 : 0))
    }
  }

  @Test func `an audit says which file told of an artifact, and who recorded what came later`()
    async throws
  {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.drawn))
      let session = try await store.session(report.sessions[0].id)
      try await session.append(.prompt("And this?"))
      try await session.attach(.init(.data(Self.picture), madeBy: .user), to: 3)
      let artifact = try #require(try await session.attachments().first?.artifact)
      let recorders = try await store.audit(artifact.id).attachments.map(\.recordedBy)
      #expect(recorders.map(\.kind) == [.source, .app])
      #expect(recorders[0].file == "talk.lines")
      #expect(recorders[0].digest == SHA256.digest(of: Array(Self.drawn.utf8)).hex)
      #expect(try OtherVerifier.run(store.url).status == 0)
    }
  }

  @Test func `many who import the same file at once make one session`() async throws {
    try await withTemporaryStore { store in
      let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
        for _ in 0..<8 {
          group.addTask {
            try await store.importing(LineFormat.source(Self.drawn)).sessions[0].id
          }
        }
        return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
      }
      #expect(ids.count == 1)
      #expect(try await store.sessions().sessions.count == 1)
    }
  }

  /// Reads as another does, and tells before each record how far it has got.
  private struct Watched: SourceReading {
    var other: LineFormat
    var position = 0
    let watch: (Int) throws -> Void

    init(_ other: LineFormat, _ watch: @escaping (Int) throws -> Void) {
      self.other = other
      self.watch = watch
    }

    mutating func next() throws -> SourceRecord? {
      try watch(position)
      position += 1
      return try other.next()
    }
  }
}

extension LineFormat {
  func first() throws -> SourceRecord? {
    var copy = self
    return try copy.next()
  }
}
