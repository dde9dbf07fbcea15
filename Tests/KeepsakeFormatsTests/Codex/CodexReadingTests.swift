import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// Rollouts as Codex writes them, written here afresh.
@Suite("Rollouts of Codex")
struct CodexReadingTests {
  static let picture = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ $0 / 256) })
  static var image: String { picture.base64EncodedString() }

  static func line(_ type: String, _ payload: String, time: Int = 0) -> String {
    let time = "2026-11-20T10:00:\(String(100 + time).dropFirst()).250Z"
    return #"{"timestamp":"\#(time)","type":"\#(type)","payload":\#(payload)}"#
  }

  static func item(_ payload: String, time: Int = 0) -> String {
    line("response_item", payload, time: time)
  }

  static func count(_ input: Int, _ output: Int) -> String {
    line(
      "event_msg",
      #"{"type":"token_count","info":{"total_token_usage":{"input_tokens":\#(input),"cached_input_tokens":\#(input / 2),"output_tokens":\#(output),"reasoning_output_tokens":1,"total_tokens":9},"model_context_window":258400}}"#
    )
  }

  static var talk: [String] {
    [
      line(
        "session_meta",
        #"{"id":"r-1","timestamp":"2026-11-20T10:00:00Z","cwd":"/work","cli_version":"0.150.0","base_instructions":{"text":"You are Codex."}}"#
      ),
      item(
        #"{"type":"message","role":"developer","content":[{"type":"input_text","text":"Be careful."}]}"#
      ),
      line("turn_context", #"{"model":"gpt-x","cwd":"/work"}"#),
      item(
        #"{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>here</environment_context>"}]}"#
      ),
      item(
        #"{"type":"message","role":"user","content":[{"type":"input_text","text":"What is it?"},{"type":"input_image","image_url":"data:image/png;base64,\#(image)"}]}"#,
        time: 1),
      line(
        "event_msg",
        #"{"type":"user_message","message":"What is it?","images":["data:image/png;base64,\#(image)"]}"#
      ),
      item(
        #"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look."}],"encrypted_content":"c2VhbGVk"}"#
      ),
      item(
        #"{"type":"function_call","id":"fc_1","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"call_1"}"#
      ),
      item(#"{"type":"function_call_output","call_id":"call_1","output":"a.png"}"#),
      item(
        #"{"type":"custom_tool_call","id":"ct_1","status":"completed","call_id":"call_2","name":"exec","input":"look()"}"#
      ),
      item(
        #"{"type":"custom_tool_call_output","call_id":"call_2","output":[{"type":"input_text","text":"seen"},{"type":"input_image","image_url":"data:image/png;base64,\#(image)"}]}"#
      ),
      count(100, 10), count(100, 10),
      item(
        #"{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"A banana."}],"phase":"final_answer"}"#,
        time: 5),
      count(250, 30),
    ]
  }

  private func withImport(
    _ lines: [String], _ body: (Store, Session, ImportReport, URL) async throws -> Void
  ) async throws {
    try await withStore { store, folder in
      let url = folder.appending(path: "rollout-2026-11-20T10-00-00-r-1.jsonl")
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
      let report = try await store.importFile(at: url)
      let session = try await store.session(#require(report.sessions.first?.id))
      try await body(store, session, report, url)
      #expect(try await store.verify().findings == [])
      let bytes = try await session.exported(as: "codex").0
      let file = try Data(contentsOf: url)
      #expect(Data(bytes) == file)
    }
  }

  @Test func `items are entries, calls have their outputs, and makers are recorded`() async throws {
    try await withImport(Self.talk) { store, session, report, _ in
      #expect(report.skipped.isEmpty)
      let entries = try await session.entries.all().filter { $0.kind != .event }
      #expect(
        entries.map(\.kind) == [
          .instructions, .instructions, .prompt, .prompt, .reasoning, .toolCalls, .toolOutput,
          .toolCalls, .toolOutput, .response,
        ])
      #expect(entries[2].visibility == .model)
      #expect(entries[3].text == "What is it?")
      #expect(entries[3].attachments.count == 1)
      #expect(entries[4].text == "Look.")
      guard case .opaque(let sealed, "codex.encrypted_content")? = entries[4].segments.last?.content
      else {
        Issue.record("the sealed reasoning is gone")
        return
      }
      #expect(sealed.stringValue == "c2VhbGVk")
      #expect(entries[5].toolCalls.map(\.arguments) == [#"{"command":["ls"]}"#])
      #expect(entries[6].tool == "shell")
      #expect(entries[7].toolCalls.map(\.arguments) == ["look()"])
      let image = try #require(entries[8].attachments.first)
      #expect(image.tool == "exec")
      #expect(image.basis == .recorded)
      #expect(entries.map(\.model).suffix(3) == ["gpt-x", nil, "gpt-x"])
      #expect(entries[9].metadata?["codex"]?["phase"]?.stringValue == "final_answer")
      #expect(
        entries[9].created?.timeIntervalSince1970 == 1_795_168_805.25)
      #expect(Set(entries.dropFirst(3).map(\.turn)) == [1])
    }
  }

  @Test func `9: an image that comes three times is stored once`() async throws {
    let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) })
      .base64EncodedString()
    var lines =
      Self.talk + [
        Self.item(
          #"{"type":"image_generation_call","id":"ig_1","status":"completed","revised_prompt":"a banana","output_format":"png","result":"\#(Self.image)"}"#
        ),
        Self.line(
          "event_msg",
          #"{"type":"image_generation_end","call_id":"ig_1","status":"completed","result":"\#(Self.image)","saved_path":"/work/ig_1.png"}"#
        ),
        Self.line(
          "compacted",
          #"{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,\#(Self.image)"}]},{"type":"image_generation_call","id":"ig_1","result":"\#(Self.image)"}]}"#
        ),
      ]
    lines = lines.map { $0.replacing(Self.image, with: large) }
    try await withImport(lines) { store, session, _, _ in
      #expect(try await store.artifacts().artifacts.count == 1)
      #expect(try await store.statistics().databaseBytes < 700_000)
      let last = try await session.entries(last: 3)
      #expect(last.map(\.kind) == [.toolCalls, .toolOutput, .event])
      #expect(last[1].attachments.first?.tool == "image_generation")
      #expect(last[0].toolCalls.first?.arguments == #"{"prompt":"a banana"}"#)
    }
  }

  @Test func `16: counts that go on over the session are added up once`() async throws {
    try await withImport(Self.talk) { store, session, _, _ in
      let total = try await session.usage()
      #expect(total.entries == 2)
      #expect(total.input == 250)
      #expect(total.cachedInput == 125)
      #expect(total.output == 30)
      #expect(try await store.usage(by: .model).map(\.name) == ["gpt-x"])
    }
  }

  @Test func `a rollout that grew adds what is new; that of a fork is a session of its own`()
    async throws
  {
    try await withStore { store, folder in
      let url = folder.appending(path: "r.jsonl")
      try Data(Self.talk.joined(separator: "\n").utf8).write(to: url)
      let first = try #require(try await store.importFile(at: url).sessions.first)
      let more =
        Self.talk + [
          Self.item(#"{"type":"message","role":"user","content":"And now?"}"#),
          // Of the session that it was forked from.
          Self.line("session_meta", #"{"id":"r-0","cwd":"/other"}"#),
        ]
      try Data((more.joined(separator: "\n") + "\n").utf8).write(to: url)
      let grown = try #require(try await store.importFile(at: url).sessions.first)
      #expect(grown.id == first.id)
      #expect(grown.added == 1)
      #expect(try await store.importFile(at: url).sessions.first?.added == 0)

      let fork = Self.talk.map { $0.replacing(#""id":"r-1""#, with: #""id":"r-2""#) }
      try Data(fork.joined(separator: "\n").utf8).write(to: url)
      #expect(try await store.importFile(at: url).sessions.first?.new == true)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `2, 14: damaged base64, unknown items and errors are told, and stop nothing`()
    async throws
  {
    let lines =
      Self.talk + [
        Self.item(#"{"type":"image_generation_call","id":"ig_9","result":"AAAA...AAAA"}"#),
        Self.item(#"{"type":"hologram","id":"h_1","depth":3}"#),
        Self.line("event_msg", #"{"type":"error","message":"no network"}"#),
        Self.line("event_msg", #"{"type":"turn_aborted","reason":"interrupted"}"#),
        Self.item(
          #"{"type":"web_search_call","status":"completed","action":{"type":"search","query":"x"}}"#
        ),
      ]
    try await withImport(lines) { store, session, report, _ in
      #expect(report.skipped.map(\.line) == [16, 17])
      let last = try await session.entries(last: 6)
      #expect(
        last.map(\.kind) == [.toolCalls, .toolOutput, .unknown, .event, .event, .toolCalls])
      #expect(last[3].text == "no network")
      #expect(last[4].tags == ["turn_aborted"])
      #expect(last[5].toolCalls.first?.tool == "web_search")
      #expect(last[5].toolCalls.first?.arguments == #"{"type":"search","query":"x"}"#)
    }
  }

  @Test func `the recorded sample comes in whole, and is given back to the byte`() async throws {
    let sample = Fixtures.samples.appending(path: "codex-rollout/rollout_0.144.4_excerpt.jsonl")
    guard FileManager.default.fileExists(atPath: sample.path) else { return }
    try await withStore { store, _ in
      let report = try await store.importFile(at: sample)
      #expect(report.skipped.isEmpty)
      let session = try await store.session(#require(report.sessions.first?.id))
      let calls = try await session.entries.all().filter { $0.kind == .toolOutput }
      #expect(calls.map(\.tool) == ["exec"])
      let bytes = try await session.exported(as: "codex").0
      let file = try Data(contentsOf: sample)
      #expect(Data(bytes) == file)
    }
  }
}
