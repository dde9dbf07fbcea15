import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// Sessions as Claude Code writes them, written here afresh.
@Suite("Sessions of Claude Code")
struct ClaudeCodeReadingTests {
  /// A picture whose base64 is long enough to be cut out of its line.
  static let picture = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) })

  /// A line of a session.
  static func line(
    _ type: String, _ uuid: String, _ others: String, session: String = "s-1", time: Int = 0
  ) -> String {
    let time = "2026-11-20T10:00:\(String(100 + time).dropFirst())Z"
    return
      #"{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/home/alice/fruit","sessionId":"\#(session)","version":"2.1.0","type":"\#(type)","uuid":"\#(uuid)","timestamp":"\#(time)",\#(others)}"#
  }

  static func user(_ uuid: String, _ content: String, _ others: String = "", time: Int = 0)
    -> String
  {
    line("user", uuid, #"\#(others)"message":{"role":"user","content":\#(content)}"#, time: time)
  }

  static func assistant(
    _ uuid: String, id: String, _ content: String, output: Int = 5, time: Int = 0
  ) -> String {
    line(
      "assistant", uuid,
      #""message":{"id":"\#(id)","type":"message","role":"assistant","model":"claude-x","content":[\#(content)],"stop_reason":null,"usage":{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":\#(output)}}"#,
      time: time)
  }

  static var image: String { picture.base64EncodedString() }

  /// A question, a thought, a tool that reads an image, and an answer.
  static var talk: [String] {
    [
      #"{"type":"file-history-snapshot","messageId":"u-1","snapshot":{}}"#,
      user("u-1", #""What is in the picture?""#),
      assistant(
        "a-1", id: "m-1", #"{"type":"thinking","thinking":"Look at it.","signature":"c2ln"}"#,
        output: 1, time: 1),
      assistant("a-2", id: "m-1", #"{"type":"text","text":"I read it."}"#, output: 3, time: 2),
      assistant(
        "a-3", id: "m-1",
        #"{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"/home/alice/a.png"}}"#,
        output: 9, time: 3),
      user(
        "u-2",
        #"[{"tool_use_id":"toolu_1","type":"tool_result","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"\#(image)"}}]}]"#,
        #""toolUseResult":{"type":"image","file":{"base64":"\#(image)","type":"image/png","originalSize":3000}},"#,
        time: 4),
      assistant("a-4", id: "m-2", #"{"type":"text","text":"A banana."}"#, time: 5),
      #"{"type":"ai-title","aiTitle":"Looking at a picture","sessionId":"s-1"}"#,
    ]
  }

  private func withImport(
    _ lines: [String], ending: String = "\n",
    _ body: (Store, Session, ImportReport, URL) async throws -> Void
  ) async throws {
    try await withStore { store, folder in
      let url = folder.appending(path: "s-1.jsonl")
      try Data((lines.joined(separator: "\n") + ending).utf8).write(to: url)
      let report = try await store.importFile(at: url)
      let id = try #require(report.sessions.first?.id)
      try await body(store, try await store.session(id), report, url)
      #expect(try await store.verify().findings == [])
    }
  }

  /// An export is the file, to the byte.
  private func expectGivenBack(_ session: Session, _ url: URL) async throws {
    let bytes = try await session.exported(as: "claude-code").0
    let file = try Data(contentsOf: url)
    #expect(Data(bytes) == file)
  }

  @Test func `what was said, thought, called and answered is an entry each`() async throws {
    try await withImport(Self.talk) { store, session, report, url in
      #expect(report.skipped.isEmpty)
      #expect(report.sessions.first?.title == "Looking at a picture")
      let entries = try await session.entries.all()
      #expect(
        entries.map(\.kind) == [
          .prompt, .reasoning, .response, .toolCalls, .toolOutput, .response,
        ])
      #expect(entries[0].text == "What is in the picture?")
      #expect(entries[1].signature == "c2ln")
      #expect(entries[3].toolCalls.map(\.arguments) == [#"{"file_path":"/home/alice/a.png"}"#])
      #expect(entries[4].tool == "Read")
      let image = try #require(entries[4].attachments.first)
      #expect(image.basis == .recorded)
      #expect(image.tool == "Read")
      #expect(image.call == .init(position: 3, ordinal: 0))
      let artifact = try #require(image.artifact)
      #expect(try await artifact.data() == Self.picture)
      #expect(entries.map(\.model) == [nil, "claude-x", "claude-x", "claude-x", nil, "claude-x"])
      #expect(entries[1].created == Date(timeIntervalSince1970: 1_795_168_801))
      #expect(Set(entries.map(\.turn)) == [1])
      try await expectGivenBack(session, url)
    }
  }

  @Test func `9: an image that stands in a line twice is stored once`() async throws {
    try await withImport(Self.talk) { store, session, report, url in
      #expect(try await store.artifacts().artifacts.count == 1)
      #expect(report.artifacts.new == 1)
      let sheet = try #require(try session.sourceSheet(format: "claude-code"))
      #expect(sheet.isWhole)
    }
    // Nor does the file that is kept have it in base64.
    let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) })
    let lines = Self.talk.map { $0.replacing(Self.image, with: large.base64EncodedString()) }
    try await withImport(lines) { store, session, report, url in
      #expect(try await store.statistics().artifactBytes == 300_000)
      #expect(try await store.statistics().databaseBytes < 700_000)
      try await expectGivenBack(session, url)
    }
  }

  @Test func `16: what a message took is counted once, however many lines it has`() async throws {
    try await withImport(Self.talk) { store, session, report, url in
      let total = try await session.usage()
      #expect(total.input == 200)
      #expect(total.cachedInput == 180)
      #expect(total.output == 14)
      #expect(try await store.usage(by: .tool).map(\.name).contains("Read"))
    }
  }

  @Test func `a file that grew adds what is new, and the same file nothing`() async throws {
    try await withImport(Self.talk, ending: "") { store, session, report, url in
      #expect(try await store.importFile(at: url).sessions.first?.added == 0)
      // The last line gets its break when the next one comes.
      let more = "\n" + Self.user("u-3", #""And now?""#, time: 6) + "\n"
      let grown = try Data(contentsOf: url) + Data(more.utf8)
      try grown.write(to: url)
      let next = try await store.importFile(at: url)
      #expect(next.sessions.map(\.id) == [session.id])
      #expect(next.sessions.first?.added == 1)
      #expect(try await session.count() == 7)
      try await expectGivenBack(session, url)
    }
  }

  @Test func `5: blank, damaged and cut off lines stop nothing, and stay as they are`() async throws
  {
    var lines = Self.talk
    lines.insert("", at: 2)
    lines.insert("{\"type\":\"user\",\"uuid\":", at: 4)
    lines.insert("\u{0}\u{0}\u{0}" + Self.user("u-9", #""after zeros""#) + "\r", at: 6)
    lines[0] = "\u{FEFF}" + lines[0]
    lines.append(Self.user("u-8", #""one""#) + Self.user("u-7", #""two on a line""#))
    lines.append(#"{"type":"user","uuid":"u-10","mess"#)
    try await withImport(lines, ending: "") { store, session, report, url in
      let texts = try await session.entries.all().map(\.text)
      #expect(texts.contains("after zeros"))
      #expect(texts.suffix(2) == ["one", "two on a line"])
      #expect(report.skipped.map(\.line) == [5, lines.count])
      #expect(report.skipped.map(\.isKept) == [true, true])
      #expect(report.skipped.last?.reason.contains("ends early") == true)
      try await expectGivenBack(session, url)

      // The last line is whole by now.
      let whole = try Data(contentsOf: url) + Data(#"age":{"role":"user","content":"whole"}}"#.utf8)
      try whole.write(to: url)
      let next = try await store.importFile(at: url)
      #expect(next.sessions.map(\.id) == [session.id])
      #expect(next.sessions.first?.added == 1)
      #expect(try await session.entries(last: 1)[0].text == "whole")
    }
  }

  @Test func `6: a line that comes again under its id says nothing new`() async throws {
    var lines = Self.talk
    lines += [Self.talk[1], Self.talk[5]]
    lines.append(
      Self.line(
        "system", "b-1", #""subtype":"compact_boundary","content":"Conversation compacted""#))
    lines.append(
      Self.user("u-4", #""This session is being continued …""#, #""isCompactSummary":true,"#))
    try await withImport(lines) { store, session, report, url in
      let entries = try await session.entries(last: 2)
      #expect(try await session.count() == 8)
      #expect(entries.map(\.visibility) == [.person, .model])
      #expect(entries[0].tags == ["compact_boundary"])
      #expect(try await store.artifacts().artifacts.count == 1)
      try await expectGivenBack(session, url)
    }
  }

  @Test func `14: a type that is not known is kept as it is, and told`() async throws {
    let lines =
      Self.talk + [
        Self.line("hologram", "h-1", #""payload":{"x":1}"#),
        Self.assistant("a-9", id: "m-9", #"{"type":"fallback","from":"a","to":"b"}"#),
      ]
    try await withImport(lines) { store, session, report, url in
      #expect(report.skipped.map(\.line) == [9])
      #expect(report.skipped.first?.reason.contains("'hologram'") == true)
      let last = try await session.entries(last: 2)
      #expect(last.map(\.kind) == [.unknown, .response])
      guard case .opaque(let json, let type)? = last[1].segments.first?.content else {
        Issue.record("no opaque content")
        return
      }
      #expect(type == "claude-code.fallback")
      #expect(json["to"]?.stringValue == "b")
    }
  }

  @Test func `15: what the program puts into a person's words is for the model`() async throws {
    let lines = [
      Self.user("u-1", #""<command-name>/clear</command-name>""#),
      Self.user("u-2", #""hidden""#, #""isMeta":true,"#),
      Self.user(
        "u-3",
        #"[{"type":"text","text":"draw"},{"type":"text","text":"<system-reminder>be brief</system-reminder>"}]"#
      ),
    ]
    try await withImport(lines) { store, session, report, url in
      let entries = try await session.entries.all()
      #expect(entries.map(\.visibility) == [.model, .model, .everyone, .model])
      #expect(entries[2].text == "draw")
      #expect(entries.map(\.turn) == [nil, nil, 1, 1])
    }
  }

  @Test func `2, 3: damaged base64 and a wrong type stop nothing`() async throws {
    let png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    let lines = [
      Self.user(
        "u-1",
        #"[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAA...AAA"}},{"type":"image","source":{"type":"base64","media_type":"image/jpg","data":"\#(png)"}}]"#
      )
    ]
    try await withImport(lines) { store, session, report, url in
      #expect(
        report.skipped.map(\.reason) == ["The base64 of an image is damaged; it is kept as it is."])
      let entry = try await session.entry(at: 0)
      #expect(entry.segments.count == 2)
      let image = try #require(entry.attachments.first)
      #expect(image.mediaType == "image/jpg")
      #expect(image.artifact?.sniffedType == "image/png")
    }
  }

  @Test func `a file in which nothing is said makes no session`() async throws {
    try await withStore { store, folder in
      let url = folder.appending(path: "s.jsonl")
      try Data((Self.talk[0] + "\n" + #"{"type":"summary","summary":"x","leafUuid":"u"}"#).utf8)
        .write(to: url)
      let report = try await store.importFile(at: url)
      #expect(report.sessions.isEmpty)
      #expect(report.skipped.map(\.reason) == ["There is no conversation in it."])
      #expect(try await store.sessions().sessions.isEmpty)
    }
  }

  @Test func `a sub-agent is a lane, and a session of its own where it has a file of its own`()
    async throws
  {
    let aside = Self.line(
      "user", "x-1", #""agentId":"a7","message":{"role":"user","content":"look for it"}"#
    ).replacing("\"isSidechain\":false", with: "\"isSidechain\":true")
    try await withImport(Self.talk + [aside]) { store, session, report, url in
      let last = try await session.entries(last: 1)[0]
      #expect(last.lane == "agent-a7")
      #expect(last.author == "a7")

      let own = url.deletingLastPathComponent().appending(path: "agent-a7.jsonl")
      try Data((aside + "\n").utf8).write(to: own)
      let second = try await store.importFile(at: own)
      #expect(second.sessions.first?.id != session.id)
      let agent = try await store.session(#require(second.sessions.first?.id))
      #expect(try await agent.entry(at: 0).lane == nil)
    }
  }

  @Test func `a line that is too large for an entry is kept whole, and the rest is read`()
    async throws
  {
    let input = String(repeating: "x", count: 15 << 20)
    let large = Self.assistant(
      "a-9", id: "m-9",
      #"{"type":"tool_use","id":"toolu_9","name":"Write","input":{"content":"\#(input)"}}"#)
    let lines = Self.talk.dropLast() + [large, Self.user("u-9", #""and then?""#)]
    try await withImport(Array(lines)) { store, session, report, _ in
      #expect(report.skipped.map(\.line) == [8])
      #expect(report.skipped.first?.reason.contains("too large for an entry") == true)
      let last = try await session.entries(last: 2)
      #expect(last.map(\.kind) == [.unknown, .prompt])
      #expect(last[0].attachments.first?.artifact?.size == Int64(large.utf8.count))
    }
  }

  @Test func `a file that lost its last line and went on loses nothing that was kept`() async throws
  {
    let lines = Array(Self.talk.dropLast())
    try await withImport(lines) { store, session, _, url in
      let other =
        lines.dropLast() + [
          Self.assistant("a-5", id: "m-3", #"{"type":"text","text":"A lemon."}"#),
          Self.user("u-5", #""thanks""#),
        ]
      let rewritten = url.deletingLastPathComponent().appending(path: "again.jsonl")
      try Data((other.joined(separator: "\n") + "\n").utf8).write(to: rewritten)
      let report = try await store.importFile(at: rewritten)
      #expect(try await session.entries(last: 1)[0].text == "A banana.")
      let now = try await store.session(#require(report.sessions.first?.id))
      #expect(try await now.entries(last: 2).map(\.text) == ["A lemon.", "thanks"])
      #expect(try await store.artifacts().artifacts.count == 1)
    }
  }

  @Test func `a mentioned image is attached for the model`() async throws {
    let lines = [
      Self.user("u-1", #""@a.png what is it?""#),
      Self.line(
        "attachment", "t-1",
        #""attachment":{"type":"file","filename":"/home/alice/a.png","content":{"type":"image","file":{"base64":"\#(Self.image)","type":"image/png"}}}"#
      ),
    ]
    try await withImport(lines) { store, session, report, url in
      let entry = try await session.entry(at: 1)
      #expect(entry.visibility == .model)
      #expect(entry.attachments.map(\.fileName) == ["a.png"])
      let artifact = try #require(entry.attachments.first?.artifact)
      #expect(try await artifact.data() == Self.picture)
    }
  }

  @Test func `the recorded sample comes in whole, and is given back to the byte`() async throws {
    let sample = Fixtures.samples.appending(
      path: "claude-code/representative_messages_2025.jsonl")
    guard FileManager.default.fileExists(atPath: sample.path) else { return }
    try await withStore { store, _ in
      let report = try await store.importFile(at: sample)
      #expect(report.skipped.isEmpty)
      let session = try await store.session(#require(report.sessions.first?.id))
      #expect(try await session.count() == 11)
      try await expectGivenBack(session, sample)
    }
  }
}
