import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// The conversations of llm's log database, in both of its generations of tables.
@Suite("The log database of llm")
struct LLMReadingTests {
  static let all = LogDatabase.common + LogDatabase.newer + LogDatabase.older

  /// Imports a database, and checks that all that was taken over is sound.
  static func withImport(
    _ scripts: String..., body: (Store, LogDatabase, ImportReport) async throws -> Void
  ) async throws {
    try await withStore { store, folder in
      let database = try LogDatabase(in: folder, all, scripts.joined())
      #expect(try await Format.recognised(in: database.url)?.name == "llm")
      let report = try await store.importFile(at: database.url)
      try await body(store, database, report)
      #expect(try await store.verify().findings == [])
    }
  }

  static func entries(of report: ImportReport, _ index: Int = 0, in store: Store) async throws
    -> [Entry]
  {
    try await store.session(report.sessions[index].id).entries.all()
  }

  // MARK: - Threads

  @Test func `a thread is a session, from its first message to its tip`() async throws {
    try await Self.withImport(LogDatabase.chart) { store, _, report in
      #expect(report.skipped.isEmpty)
      #expect(report.sessions.map(\.title) == ["A chart"])
      let entries = try await Self.entries(of: report, in: store)
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .reasoning, .toolCalls, .toolOutput, .prompt, .response,
        ])
      #expect(
        entries.map(\.text) == [
          "You draw.", "Like these", "A bar.", "", "drawn", "", "Here it is.",
        ])
      #expect(
        entries[3].toolCalls == [.init(id: "c-1", tool: "draw", arguments: #"{"kind": "bar"}"#)])
      #expect(entries[4].callID == "c-1" && entries[4].tool == "draw")
      #expect(entries.map(\.model) == [nil, nil, "fruit-2", "fruit-2", nil, nil, "fruit-2"])
      #expect(entries.map(\.turn) == [nil, 1, 1, 1, 1, 1, 1])
      let times = entries.map { $0.created.map { RFC3339.text($0.microseconds) } }
      #expect(
        times
          == Array(repeating: "2026-11-20T10:00:01.500000Z", count: 4)
          + Array(repeating: "2026-11-20T10:00:04.500000Z", count: 3))
    }
  }

  @Test func `what an answer took is counted once, with its details`() async throws {
    try await Self.withImport(LogDatabase.chart) { store, _, report in
      let total = try await store.session(report.sessions[0].id).usage()
      #expect((total.entries, total.input, total.output, total.cachedInput) == (2, 40, 10, 4))
    }
  }

  @Test func `attachments are bytes, paths that are never opened, and URLs`() async throws {
    try await Self.withImport(LogDatabase.chart) { store, _, report in
      let prompt = try await Self.entries(of: report, in: store)[1]
      #expect(prompt.attachments.map(\.state) == [.present, .missing, .remote])
      #expect(
        prompt.attachments.map(\.reference) == [
          nil, "/home/alice/b.png", "https://example.com/c.png",
        ])
      #expect(prompt.attachments.map(\.maker) == [.user, .user, .user])
      #expect(prompt.segments.count == 4)
      let artifact = try #require(prompt.attachments[0].artifact)
      #expect(try await artifact.data() == LogDatabase.picture)
      // The picture's bytes come twice in the import, and the store keeps them once.
      #expect(report.artifacts.new == 1 && report.artifacts.known == 1)
    }
  }

  @Test func `what llm hands on for a tool is the call's, and nobody said so`() async throws {
    try await Self.withImport(LogDatabase.chart) { store, _, report in
      let passedOn = try await Self.entries(of: report, in: store)[5]
      #expect(passedOn.visibility == .model)
      let attachment = try #require(passedOn.attachments.first)
      #expect(attachment.maker == .toolCall && attachment.basis == .position)
      #expect(attachment.tool == "draw")
      let artifact = try #require(attachment.artifact?.id)
      let made = try await store.audit(artifact).attachments.filter { $0.direction == .made }
      #expect(made.map(\.basisReason).map { $0.contains("follows from its place there") } == [true])
    }
  }

  @Test func `of several results nobody knows which one gave an attachment`() async throws {
    let second =
      LogDatabase.part(
        20, of: "m-4", 1, "tool_result", payload: #"{"name":"paint","output":"painted"}"#)
    try await Self.withImport(LogDatabase.chart, second) { store, _, report in
      let entries = try await Self.entries(of: report, in: store)
      #expect(entries[4...5].map(\.tool) == ["draw", "paint"])
      #expect(entries[6].attachments.map(\.maker) == [.source])
      #expect(entries[6].attachments.map(\.basis) == [.unknown])
    }
  }

  @Test func `a fragment stands in the text where llm had it`() async throws {
    let script = [
      "INSERT INTO fragments VALUES (1, 'h', 'A long novel', NULL, '/home/alice/novel.txt');",
      "INSERT INTO threads VALUES ('t-2', NULL, 'n-1', NULL, NULL);",
      LogDatabase.message("n-1", after: nil, "user"),
      LogDatabase.part(
        1, of: "n-1", payload: #"{"text_ref": [{"fragment": 1}, {"literal": "\nWho did it?"}]}"#),
      LogDatabase.part(2, of: "n-1", 1, payload: #"{"text_ref": [{"fragment": 9}]}"#),
      LogDatabase.part(3, of: "n-1", 2, "hologram", "?"),
      "INSERT INTO part_fragments VALUES (1, 1, 0);",
    ].joined()
    try await Self.withImport(script) { store, _, report in
      let entries = try await Self.entries(of: report, in: store)
      #expect(entries.map(\.kind) == [.prompt, .unknown])
      #expect(entries[0].text == "A long novel\nWho did it?")
      #expect(
        report.skipped.allSatisfy { $0.isKept && $0.reason.hasPrefix("Thread t-2, record 1") })
      #expect(report.skipped.count == 2)
    }
  }

  @Test func `a fork has the beginning that it shares, and a branch is kept`() async throws {
    let script = [
      "INSERT INTO threads VALUES ('t-2', 'A fork', 'n-2', 't-1', NULL);",
      LogDatabase.message("n-1", after: "m-6", "user"),
      LogDatabase.part(30, of: "n-1", 0, "text", "Red"),
      LogDatabase.message("n-2", after: "n-1", "assistant"),
      LogDatabase.part(31, of: "n-2", 0, "text", "It is red."),
      LogDatabase.turn("u-8", of: "t-2", from: "n-1", to: "n-2", second: 9),
      LogDatabase.message("x-1", after: "m-6", "user"),
      LogDatabase.part(32, of: "x-1", 0, "text", "No"),
      LogDatabase.turn("u-9", of: "t-1", from: "x-1", to: "x-1", second: 9),
    ].joined()
    try await Self.withImport(LogDatabase.chart, script) { store, _, report in
      #expect(report.sessions.map(\.entries) == [7, 9])
      #expect(report.sessions.allSatisfy { $0.new })
      let fork = try await Self.entries(of: report, 1, in: store)
      #expect(fork.last?.text == "It is red.")
      // The first thread counts the tokens of the beginning that both threads share.
      #expect(try await store.session(report.sessions[1].id).usage().entries == 1)
      #expect(fork[6].created == nil)
      #expect(report.skipped.map(\.isKept) == [true])
      #expect(report.skipped[0].reason.contains("A turn of it went another way"))
    }
  }

  // MARK: - The older tables

  @Test func `a conversation of the older tables is a session`() async throws {
    try await Self.withImport(LogDatabase.olderChart) { store, _, report in
      #expect(report.skipped.isEmpty)
      #expect(report.sessions.map(\.title) == ["An older chart"])
      let entries = try await Self.entries(of: report, in: store)
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .reasoning, .toolCalls, .toolOutput, .response,
        ])
      #expect(entries[0].text == "Be brief.\nYou draw.")
      #expect(entries[1].text == "A long novel\nDraw it")
      #expect(entries[3].toolCalls.map(\.arguments) == [#"{"kind": "bar"}"#])
      #expect(entries[4].callID == entries[3].toolCalls[0].id && entries[4].text == "drawn")
      // The image hangs on the output of the tool, and not a second time on the prompt without words.
      #expect(entries[4].attachments.map(\.basis) == [.recorded])
      #expect(entries[4].attachments.map(\.tool) == ["draw"])
      #expect(entries[5].model == "fruit" && entries[5].usage?.input == 9)
    }
  }

  @Test func `a result that failed says so, and an attachment without words is the tool's`()
    async throws
  {
    let change = """
      UPDATE tool_results SET exception = 'no ink'; DELETE FROM tool_results_attachments;
      UPDATE responses SET datetime_utc = '2023-06-01T08:00:01.250000';
      """
    try await Self.withImport(LogDatabase.olderChart, change) { store, _, report in
      let entries = try await Self.entries(of: report, in: store)
      #expect(entries[4].status == .failed)
      #expect(entries[5].kind == .prompt && entries[5].visibility == .model)
      #expect(entries[5].attachments.map(\.basis) == [.position])
      #expect(entries[5].created == entries[0].created && entries[0].created != nil)
    }
  }

  @Test func `the oldest tables are read, and responses without a conversation`() async throws {
    try await withStore { store, folder in
      let rows = """
        INSERT INTO conversations VALUES ('k-1', 'Old', 'fruit');
        INSERT INTO responses VALUES
          ('r-1', 'fruit', 'a', NULL, NULL, NULL, 'b', NULL, 'k-1', 1, '2023-08-17T20:53:58.618918'),
          ('r-2', 'fruit', 'c', NULL, NULL, NULL, 'd', NULL, NULL, 1, NULL),
          ('r-3', 'fruit', 'e', NULL, NULL, NULL, 'f', NULL, 'k-1', 1, NULL);
        """
      let database = try LogDatabase(in: folder, LogDatabase.oldest, rows)
      let report = try await store.importFile(at: database.url)
      #expect(report.sessions.map(\.title) == ["Old", nil])
      #expect(report.sessions.map(\.entries) == [4, 2])
      let texts = try await Self.entries(of: report, in: store).map(\.text)
      #expect(texts == ["a", "b", "e", "f"])
    }
  }

  // MARK: - Again

  @Test func `the same database again adds nothing, and one that grew what is new`() async throws {
    try await Self.withImport(LogDatabase.chart, LogDatabase.olderChartAlone) {
      store, database, first in
      #expect(first.sessions.map(\.new) == [true, true])
      let again = try await store.importFile(at: database.url)
      #expect(again.sessions.map(\.added) == [0, 0])
      #expect(again.sessions.map(\.id) == first.sessions.map(\.id))
      let answer = LogDatabase.response(
        "r-3", in: "k-1", prompt: "Red", response: "It is red.", system: "You draw.", second: 5)
      // Another use of the picture says something else of it.
      try database.add(
        LogDatabase.more + answer
          + "UPDATE attachments SET path = '/home/alice/a.png' WHERE id = 'a-1';"
          + "INSERT INTO system_fragments VALUES ('r-3', 2, 0);")
      let grown = try await store.importFile(at: database.url)
      #expect(grown.sessions.map(\.id) == first.sessions.map(\.id))
      #expect(grown.sessions.map(\.added) == [2, 2])
      #expect(grown.sessions.map(\.revised) == [0, 0])
      let last = try await Self.entries(of: grown, 1, in: store).suffix(2).map(\.text)
      #expect(last == ["Blue", "It is blue."])
    }
  }

  @Test func `a thread and a conversation with one id are two sessions`() async throws {
    let renamed = "UPDATE threads SET id = 'k-1'; UPDATE turns SET thread_id = 'k-1';"
    try await Self.withImport(LogDatabase.chart, LogDatabase.olderChartAlone, renamed) {
      store, database, report in
      #expect(report.sessions.map(\.title) == ["An older chart", "A chart"])
      #expect(Set(report.sessions.map(\.id)).count == 2)
      let again = try await store.importFile(at: database.url)
      #expect(again.sessions.map(\.added) == [0, 0])
    }
  }

  @Test func `the recorded sample comes in whole`() async throws {
    let sample = Fixtures.samples.appending(path: "simonw-llm/logs_0.36.db")
    guard FileManager.default.fileExists(atPath: sample.path) else { return }
    try await withStore { store, folder in
      let copy = folder.appending(path: "logs.db")
      try FileManager.default.copyItem(at: sample, to: copy)
      let report = try await store.importFile(at: copy)
      #expect(report.skipped.isEmpty)
      #expect(report.sessions.map(\.title) == ["Draw a bar chart"])
      let entries = try await Self.entries(of: report, in: store)
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .toolCalls, .toolOutput, .prompt, .response, .prompt, .response,
        ])
      #expect(entries.flatMap(\.attachments).map(\.basis) == [.recorded, .position])
      #expect(try await store.session(report.sessions[0].id).usage().input == 80)
      #expect(try await store.verify().findings == [])
    }
  }
}
