import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Files that grew since they were imported")
struct GrownFilesTests {
  /// A file that agents write, as text that ends with a line break.
  struct Talk: CustomTestStringConvertible {
    let format: String
    let lines: [String]

    var testDescription: String { format }
  }

  private static let talks = [
    Talk(format: "claude-code", lines: ClaudeCodeReadingTests.talk),
    Talk(format: "codex", lines: rollout),
    Talk(format: "gemini-cli", lines: GeminiCLIReadingTests.talk),
  ]

  private static var rollout: [String] {
    var rollout = Rollout(id: "0199-a")
    rollout.message("user", "List the folder.", #","id":"m-1""#)
    rollout.item(#"{"type":"reasoning","summary":[],"encrypted_content":"b3BhcXVl"}"#)
    rollout.item(
      #"{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c-1"}"#
    )
    rollout.tokens([10, 0, 5, 0], last: [10, 0, 5, 0])
    rollout.item(#"{"type":"function_call_output","call_id":"c-1","output":"a.png"}"#)
    rollout.message("assistant", "There is one file.", #","id":"m-2""#)
    rollout.tokens([30, 4, 12, 0], last: [20, 4, 7, 0])
    rollout.message("user", "Thanks.", #","id":"m-1""#)
    return rollout.lines
  }

  private static func write(_ text: String, to folder: URL) throws -> URL {
    let file = folder.appending(path: "talk.jsonl")
    try Data(text.utf8).write(to: file)
    return file
  }

  private static func text(_ lines: some Sequence<String>) -> String {
    lines.map { "\($0)\n" }.joined()
  }

  private static func rows(_ table: String, in store: Store) throws -> Int {
    try store.handle.read { db in
      let count = try db.connection.prepare(text: "SELECT count(*) FROM \(table)")
      return try count.step() ? count.int(0) : -1
    }
  }

  /// All that the entries of the one session say that a file has become, with what is attached to them.
  private static func told(_ store: Store, _ report: ImportReport) async throws -> [String] {
    let session = try await store.session(#require(report.sessions.first).id)
    return try await session.entries.all().map { entry in
      let attached = entry.attachments.map {
        "\($0.artifact?.id.description ?? "-") \($0.tool ?? "-") \($0.basis)"
      }
      return
        "\(entry.position ?? -1) \(entry.kind) \(entry.key ?? "-") \(entry.text) \(entry.toolCalls.map(\.tool)) \(entry.usage.map { "\($0)" } ?? "-") \(attached)"
    }
  }

  @Test(arguments: talks)
  func `say the same as if they were read at once, whatever the steps`(_ talk: Talk) async throws {
    try await withStore { store, folder in
      var steps = 0
      var last: ImportReport?
      for count in 1...talk.lines.count {
        let text = Self.text(talk.lines[..<count])
        let file = try Self.write(text, to: folder)
        let report = try? await store.importFile(at: file, format: talk.format)
        guard let report, let session = report.sessions.first else { continue }
        last = report
        steps += 1
        let stored = try await store.session(session.id)
        let exported = try await stored.exported(as: talk.format)
        #expect(String(decoding: exported.bytes, as: UTF8.self) == text)
        let again = try await store.importFile(at: file, format: talk.format)
        #expect(again.sessions.map(\.added) == [0])
        #expect(again.skipped == report.skipped)
      }
      #expect(steps > 3)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
      let grown = try await Self.told(store, #require(last))
      let whole = try await withStore { other, otherFolder in
        let file = try Self.write(Self.text(talk.lines), to: otherFolder)
        return try await Self.told(other, other.importFile(at: file, format: talk.format))
      }
      #expect(grown == whole)
      // What came before the first prompt was read anew each time, as it has to be. Since then one source has grown.
      #expect(try Self.rows("source", in: store) < steps)
      #expect(try Self.rows("session", in: store) == 1)
    }
  }

  @Test func `are read from where the reading ended, and kept in one piece`() async throws {
    try await withStore { store, folder in
      let talk = ClaudeCodeReadingTests.talk
      var text = Self.text(talk) + "{\"type\":\n"
      let file = try Self.write(text, to: folder)
      let first = try await store.importFile(at: file)
      for number in 0..<20 {
        text += ClaudeCodeReadingTests.user("n-\(number)", "\"And \(number)?\"", time: 9) + "\n"
        _ = try Self.write(text, to: folder)
        let report = try await store.importFile(at: file)
        #expect(report.sessions.map(\.added) == [1])
        // What was said of a line that was read before is said again.
        #expect(report.skipped == first.skipped)
      }
      #expect(try Self.rows("source", in: store) == 1)
      #expect(try Self.rows("import", in: store) == 1)
      let session = try await store.session(#require(first.sessions.first).id)
      let exported = try await session.exported(as: "claude-code")
      #expect(String(decoding: exported.bytes, as: UTF8.self) == text)
      #expect(try await store.search("19").hits.count == 1)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `are known by where they are, under whatever name`() async throws {
    try await withStore { store, folder in
      var text = Self.text(ClaudeCodeReadingTests.talk)
      let file = try Self.write(text, to: folder)
      try await store.importFile(at: file)
      let other = folder.appending(path: "other.jsonl")
      try FileManager.default.createSymbolicLink(at: other, withDestinationURL: file)
      text += ClaudeCodeReadingTests.user("n", "\"And?\"", time: 9) + "\n"
      _ = try Self.write(text, to: folder)
      #expect(try await store.importFile(at: other).sessions.map(\.added) == [1])
      #expect(try Self.rows("source", in: store) == 1)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `stay as they are when an older copy comes, and when they are cut short`() async throws
  {
    try await withStore { store, folder in
      let talk = ClaudeCodeReadingTests.talk
      let whole = Self.text(talk)
      let file = try Self.write(whole, to: folder)
      let report = try await store.importFile(at: file)
      let session = try await store.session(#require(report.sessions.first).id)
      for copy in [folder.appending(path: "old.jsonl"), file] {
        try Data(Self.text(talk[..<5]).utf8).write(to: copy)
        let older = try await store.importFile(at: copy)
        #expect(older.sessions.map(\.id) == [session.id])
        #expect(older.sessions.map(\.added) == [0])
        #expect(
          try await String(decoding: session.exported(as: "claude-code").bytes, as: UTF8.self)
            == whole)
      }
      // Cut short, it went on in another way: a fork where the two part.
      let other = ClaudeCodeReadingTests.assistant(
        "a-9", id: "m-9", #"{"type":"text","text":"A cherry."}"#, time: 8)
      let anew = Self.text(talk[..<5] + [other])
      try Data(anew.utf8).write(to: file)
      let next = try await store.importFile(at: file)
      #expect(next.sessions.map(\.new) == [true])
      #expect(next.sessions.map(\.added) == [1])
      let fork = try await store.session(#require(next.sessions.first).id)
      #expect(try await fork.summary().forkOf == session.id)
      #expect(
        try await String(decoding: fork.exported(as: "claude-code").bytes, as: UTF8.self) == anew)
      #expect(
        try await String(decoding: session.exported(as: "claude-code").bytes, as: UTF8.self)
          == whole)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
      try await store.deleteSession(session.id)
      #expect(
        try await String(decoding: fork.exported(as: "claude-code").bytes, as: UTF8.self) == anew)
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `name their session once they have a name for it, unless a person did`() async throws {
    try await withStore { store, folder in
      func title(_ text: String) -> String {
        #"{"type":"custom-title","customTitle":"\#(text)","sessionId":"s-1"}"# + "\n"
      }
      var text = Self.text(ClaudeCodeReadingTests.talk.dropLast())
      let file = try Self.write(text, to: folder)
      let report = try await store.importFile(at: file)
      let session = try await store.session(#require(report.sessions.first).id)
      #expect(try await session.summary().title == nil)
      for (name, expected) in [("One", "One"), ("Two", "Two")] {
        text += title(name)
        _ = try Self.write(text, to: folder)
        try await store.importFile(at: file)
        #expect(try await session.summary().title == expected)
      }
      try await session.rename("Mine")
      text += title("Three")
      _ = try Self.write(text, to: folder)
      try await store.importFile(at: file)
      #expect(try await session.summary().title == "Mine")
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `may grow by more than one transaction takes`() async throws {
    try await withStore { store, folder in
      var text = Self.text(ClaudeCodeReadingTests.talk)
      let file = try Self.write(text, to: folder)
      try await store.importFile(at: file)
      for number in 0..<700 {
        text += ClaudeCodeReadingTests.user("n-\(number)", "\"And \(number)?\"", time: 9) + "\n"
      }
      _ = try Self.write(text, to: folder)
      let report = try await store.importFile(at: file)
      #expect(report.sessions.map(\.added) == [700])
      #expect(report.sessions.map(\.new) == [false])
      #expect(try Self.rows("source", in: store) == 2)
      text += ClaudeCodeReadingTests.user("last", "\"The end?\"", time: 10) + "\n"
      _ = try Self.write(text, to: folder)
      #expect(try await store.importFile(at: file).sessions.map(\.added) == [1])
      #expect(try Self.rows("source", in: store) == 2)
      let session = try await store.session(#require(report.sessions.first).id)
      let exported = try await session.exported(as: "claude-code")
      #expect(String(decoding: exported.bytes, as: UTF8.self) == text)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `leave what a fork shows, and the file that it has, as they were`() async throws {
    try await withStore { store, folder in
      let talk = ClaudeCodeReadingTests.talk
      let before = Self.text(talk)
      let file = try Self.write(before, to: folder)
      let report = try await store.importFile(at: file)
      let session = try await store.session(#require(report.sessions.first).id)
      let fork = try await session.fork()
      let after = before + ClaudeCodeReadingTests.user("n", "\"And?\"", time: 9) + "\n"
      _ = try Self.write(after, to: folder)
      #expect(try await store.importFile(at: file).sessions.map(\.added) == [1])
      #expect(
        try await String(decoding: fork.exported(as: "claude-code").bytes, as: UTF8.self) == before)
      #expect(
        try await String(decoding: session.exported(as: "claude-code").bytes, as: UTF8.self)
          == after)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `are read from their start where their beginning was written anew`() async throws {
    try await withStore { store, folder in
      let talk = ClaudeCodeReadingTests.talk
      let before = Self.text(talk)
      let file = try Self.write(before, to: folder)
      let report = try await store.importFile(at: file)
      let session = try await store.session(#require(report.sessions.first).id)
      // Another answer of the same length, and one line more: what was said before stays as a revision.
      let after =
        before.replacing("A banana.", with: "A cherry.")
        + ClaudeCodeReadingTests.user("n", "\"And?\"", time: 9) + "\n"
      _ = try Self.write(after, to: folder)
      let next = try await store.importFile(at: file)
      #expect(next.sessions.map(\.id) == [session.id])
      #expect(next.sessions.map(\.added) == [1])
      #expect(next.sessions.map(\.revised) == [1])
      #expect(
        try await String(decoding: session.exported(as: "claude-code").bytes, as: UTF8.self)
          == after)
      #expect(try Self.rows("source", in: store) == 2)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `are read from their start where the app went on with the session`() async throws {
    try await withStore { store, folder in
      let before = Self.text(ClaudeCodeReadingTests.talk)
      let file = try Self.write(before, to: folder)
      let report = try await store.importFile(at: file)
      let session = try await store.session(#require(report.sessions.first).id)
      try await session.append(Entry.prompt("Mine."))
      let after = before + ClaudeCodeReadingTests.user("n", "\"And?\"", time: 9) + "\n"
      _ = try Self.write(after, to: folder)
      // The session and the file went on in two ways: neither is mixed into the other.
      let next = try await store.importFile(at: file)
      #expect(next.sessions.map(\.new) == [true])
      #expect(try await session.entries.all().last?.text == "Mine.")
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  @Test func `that were erased in part leave nothing of that with the reader`() async throws {
    try await withStore { store, folder in
      let secret = ClaudeCodeReadingTests.assistant(
        "a-9", id: "m-9",
        #"{"type":"tool_use","id":"toolu_9","name":"CanaryTool","input":{}}"#, time: 7)
      let before = Self.text(ClaudeCodeReadingTests.talk + [secret])
      let file = try Self.write(before, to: folder)
      let report = try await store.importFile(at: file)
      let session = try await store.session(#require(report.sessions.first).id)
      let kept = { try Self.rows("seen_file WHERE reader IS NOT NULL", in: store) }
      #expect(try kept() == 1)
      let last = try #require(try await session.entries.all().last?.position)
      try await session.erase(last)
      #expect(try kept() == 0)
      let after = before + ClaudeCodeReadingTests.user("n", "\"And?\"", time: 9) + "\n"
      _ = try Self.write(after, to: folder)
      #expect(try await store.importFile(at: file).sessions.map(\.added) == [1])
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  /// Two files begin alike, and the sessions that they became share that.
  @Test func `that share what was erased leave nothing of that with the reader`() async throws {
    try await withStore { store, folder in
      var sessions: [Session] = []
      for (name, text) in [("one", "\"And?\""), ("two", "\"Or?\"")] {
        let place = folder.appending(path: name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let last = ClaudeCodeReadingTests.user(name, text, time: 9)
        let file = try Self.write(Self.text(ClaudeCodeReadingTests.talk + [last]), to: place)
        let report = try await store.importFile(at: file)
        sessions.append(try await store.session(#require(report.sessions.first).id))
      }
      #expect(sessions[1].lineage.shared.count == 1)
      let kept = { try Self.rows("seen_file WHERE reader IS NOT NULL", in: store) }
      #expect(try kept() == 2)
      try await sessions[0].erase(0)
      #expect(try kept() == 0)
    }
  }

  @Test func `whose last line was not at its end are read from their start`() async throws {
    try await withStore { store, folder in
      let line = ClaudeCodeReadingTests.user("n", "\"And?\"", time: 9)
      let before = Self.text(ClaudeCodeReadingTests.talk)
      let file = try Self.write(before + line.prefix(40), to: folder)
      let report = try await store.importFile(at: file)
      #expect(try Self.rows("seen_file WHERE reader IS NOT NULL", in: store) == 0)
      _ = try Self.write(before + line + "\n", to: folder)
      let next = try await store.importFile(at: file)
      #expect(next.sessions.map(\.id) == report.sessions.map(\.id))
      #expect(next.sessions.map(\.added) == [1])
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `that another version of a reader left are read from their start`() async throws {
    try await withStore { store, folder in
      let before = Self.text(ClaudeCodeReadingTests.talk)
      let file = try Self.write(before, to: folder)
      try await store.importFile(at: file)
      for reader in [#"{"edition":0,"decoder":{}}"#, "", "\u{0}"] {
        try await store.handle.write { change in
          let update = try change.db.connection.prepare("UPDATE seen_file SET reader = ?")
          update.bind(Array(reader.utf8), at: 1)
          try update.run()
        }
        let again = try await store.importFile(at: file)
        #expect(again.sessions.map(\.added) == [0])
        #expect(again.sessions.map(\.new) == [false])
      }
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  /// What a reader left stands in the database, where anybody may have changed it.
  @Test(arguments: talks)
  func `a reader does not go on from numbers that can't be`(talk: Talk) throws {
    let bytes = Array(Self.text(talk.lines).utf8)
    let file = ForeignFile(bytes, name: "talk.jsonl")
    let codec = try #require(Codecs.named(talk.format) as? any GrowingCodec.Type)
    var reading = try codec.read(file)
    while try reading.next() != nil {}
    let bookmark = try #require(reading.bookmark)
    #expect(try codec.read(file, from: bookmark) != nil)
    let text = String(decoding: bookmark.reader, as: UTF8.self)
    let count = try #require(text.firstMatch(of: /"count":[0-9]+/)).output
    for number in ["-1", "9223372036854775807"] {
      let reader = text.replacing(count, with: #""count":\#(number)"#)
      let changed = SourceBookmark(
        offset: bookmark.offset, line: bookmark.line, reader: Array(reader.utf8))
      #expect(try codec.read(file, from: changed) == nil, "\(number)")
    }
  }

  @Test func `a reader of Claude Code does not go on from steps that are not there`() throws {
    let file = ForeignFile(Array(Self.text(ClaudeCodeReadingTests.talk).utf8), name: "talk.jsonl")
    var reading = try ClaudeCodeCodec.read(file)
    while try reading.next() != nil {}
    let bookmark = try #require(reading.bookmark)
    let text = String(decoding: bookmark.reader, as: UTF8.self)
    let newest = try #require(text.firstMatch(of: /"newest":[0-9]+/)).output
    let ends = try #require(text.firstMatch(of: /"ends":"[^"]+"/)).output
    for (part, other) in [(newest, #""newest":99"#), (ends, #""ends":"""#)] {
      let changed = SourceBookmark(
        offset: bookmark.offset, line: bookmark.line,
        reader: Array(text.replacing(part, with: other).utf8))
      #expect(try ClaudeCodeCodec.read(file, from: changed) == nil, "\(other)")
    }
  }
}
