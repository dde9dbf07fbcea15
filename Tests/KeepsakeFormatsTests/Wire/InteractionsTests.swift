import Foundation
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("Gemini's interactions")
struct InteractionsTests {
  private static let picture = FrameworkFixtures.picture

  /// An interaction as the service gives it, with all of its steps.
  static let interaction = """
    {"id": "int_1", "status": "completed", "created": "2026-11-20T10:00:00Z", "object": "interaction", "model": "gemini-x",
     "previous_interaction_id": "int_0", "system_instruction": "Be kind.",
     "tools": [{"type": "function", "name": "draw", "parameters": {"type": "object"}}],
     "usage": {"total_tokens": 130, "total_input_tokens": 90, "total_tool_use_tokens": 10, "total_cached_tokens": 40, "total_output_tokens": 10, "total_thought_tokens": 20},
     "steps": [
      {"type": "user_input", "content": [{"type": "text", "text": "See"}, {"type": "image", "data": "\(picture)", "mime_type": "image/png"},
        {"type": "document", "uri": "gs://bucket/a.pdf", "mime_type": "application/pdf"}]},
      {"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "hm"}]},
      {"type": "thought", "signature": "b25l"},
      {"type": "function_call", "id": "c1", "name": "draw", "arguments": {"n": 1}},
      {"type": "mcp_server_tool_call", "id": "c2", "name": "look", "server_name": "eyes", "arguments": {}},
      {"type": "function_result", "call_id": "c1", "result": [{"type": "text", "text": "drawn"}, {"type": "image", "data": "\(picture)", "mime_type": "image/png"}]},
      {"type": "mcp_server_tool_result", "call_id": "c2", "is_error": true, "result": "blind"},
      {"type": "google_search_call", "id": "g1", "arguments": {"queries": ["q"]}, "signature": "dHdv"},
      {"type": "google_search_result", "call_id": "g1", "result": [{"search_suggestions": "<b>q</b>"}]},
      {"type": "model_output", "content": [{"type": "text", "text": "Here.", "annotations": [{"type": "url_citation", "url": "https://example.org"}]},
        {"type": "image", "data": "\(picture)", "mime_type": "image/jpeg"}]},
      {"type": "model_output", "error": {"code": 8, "message": "Too much."}}]}
    """

  /// A log of a client that keeps the conversation itself.
  static let log = """
    {"request": {"model": "gemini-x", "input": "hi", "system_instruction": "Be kind."}, "response": {"object": "interaction", "id": "a", "model": "gemini-x", "steps": [{"type": "model_output", "content": [{"type": "text", "text": "hello"}]}]}}
    {"request": {"model": "gemini-x", "system_instruction": "Be kind.", "input": [{"type": "user_input", "content": [{"type": "text", "text": "hi"}]}, {"type": "model_output", "content": [{"type": "text", "text": "hello"}]}, {"type": "user_input", "content": [{"type": "text", "text": "and now?"}]}]}, "response": {"object": "interaction", "id": "b", "model": "gemini-x", "steps": [{"type": "model_output", "content": [{"type": "text", "text": "bye"}]}]}}

    """

  static let steps = """
    [{"type": "user_input", "content": [{"type": "text", "text": "hi"}]}, {"type": "future", "x": 1},
     {"type": "model_output", "content": [{"type": "text", "text": "hello"}, {"type": "future", "y": 2}]}]
    """

  static let request = """
    {"model": "gemini-x", "input": [{"type": "text", "text": "Draw it again."}, {"type": "image", "data": "\(picture)", "mime_type": "image/png"}]}
    """

  private static func imported(
    _ text: String, as format: String? = nil,
    _ body: (ImportReport, Session, [Entry]) async throws -> Void
  ) async throws {
    try await withStore { store, folder in
      let report = try await store.importing(Array(text.utf8), in: folder, format: format)
      let session = try await store.session(try #require(report.sessions.first).id)
      #expect(report.sessions.map(\.format) == ["gemini-interactions"])
      #expect(try await session.exported(as: "gemini-interactions").bytes == Array(text.utf8))
      #expect(try await store.verify().findings == [])
      try await body(report, session, try await session.entries.all())
      let again = try await store.importing(Array(text.utf8), in: folder, format: format)
      #expect(again.sessions.map(\.added) == [0])
    }
  }

  @Test func `each step is an entry, and results find their calls`() async throws {
    try await Self.imported(Self.interaction) { report, session, entries in
      #expect(report.skipped == [])
      #expect(report.artifacts.new == 1, "the picture is kept once")
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .reasoning, .reasoning, .toolCalls, .toolOutput, .toolOutput,
          .toolCalls, .toolOutput, .response, .event,
        ])
      #expect(entries[0].text == "Be kind.")
      #expect(entries[0].toolDefinitions?[0]?["name"]?.stringValue == "draw")
      #expect(entries[1].attachments.map(\.state) == [.present, .remote])
      #expect(entries[1].attachments.map(\.maker) == [.user, .user])
      #expect(entries[1].attachments[1].reference == "gs://bucket/a.pdf")
      #expect(entries[2].text == "hm")
      #expect(entries[2...3].map(\.signature) == ["c2ln", "b25l"])
      #expect(entries[4].toolCalls.map(\.tool) == ["draw", "look"])
      #expect(entries[4].toolCalls.map(\.arguments) == [#"{"n": 1}"#, "{}"])
      #expect(entries[5].attachments.map(\.callID) == ["c1"])
      #expect(entries[5].attachments.map(\.basis) == [.recorded])
      #expect(entries[5].text == "drawn")
      #expect(entries[6].tool == "look")
      #expect(entries[6].text == "blind")
      #expect(entries[7].toolCalls.map(\.tool) == ["google_search"])
      #expect(entries[8].callID == "g1")
      #expect(entries[9].text == "Here.")
      #expect(entries[9].attachments.map(\.maker) == [.response])
      #expect(entries[9].attachments[0].mediaType == "image/jpeg")
      #expect(entries[10].text == "Too much.")
      #expect(entries[1].created == Date(timeIntervalSince1970: 1_795_168_800))
      #expect(entries[9].model == "gemini-x")
      let usage = try #require(entries[9].usage)
      #expect(usage.input == 100)
      #expect(usage.cachedInput == 40)
      #expect(usage.output == 30)
      #expect(usage.reasoning == 20)
      let kept = entries.compactMap { $0.metadata?["gemini-interactions"] }[0]
      #expect(kept["previous_interaction_id"]?.stringValue == "int_0")
      #expect(kept["steps"]?["6"]?["is_error"]?.boolValue == true)
      #expect(kept["steps"]?["7"]?["signature"]?.stringValue == "dHdv")
    }
  }

  @Test func `what a log's requests repeat is said once`() async throws {
    try await Self.imported(Self.log) { report, session, entries in
      #expect(
        entries.map(\.kind) == [.instructions, .prompt, .response, .prompt, .response])
      #expect(entries.map(\.text) == ["Be kind.", "hi", "hello", "and now?", "bye"])
    }
  }

  @Test func `steps stand alone, and what is not known is kept and told`() async throws {
    try await Self.imported(Self.steps) { report, session, entries in
      #expect(entries.map(\.kind) == [.prompt, .unknown, .response])
      #expect(report.skipped.map(\.isKept) == [true])
      #expect(entries[2].segments.count == 2)
    }
  }

  @Test func `a request may hold pieces alone; who imports it names the format`() async throws {
    try await Self.imported(Self.request, as: "gemini-interactions") { report, session, entries in
      #expect(entries.map(\.kind) == [.prompt])
      #expect(entries[0].attachments.map(\.state) == [.present])
    }
  }

  @Test func `2: damaged base64 is kept as it is`() async throws {
    let text =
      #"{"object":"interaction","steps":[{"type":"model_output","content":[{"type":"image","data":"iVBO...Rw0K"}]}]}"#
    try await Self.imported(text) { report, session, entries in
      #expect(report.skipped.map(\.isKept) == [true])
      #expect(entries[0].attachments.isEmpty)
      #expect(entries[0].segments.count == 1)
    }
  }

  @Test(arguments: [interaction, log, steps])
  func `no other format is taken for it, and it for no other`(text: String) throws {
    let head = try FileHead(ForeignFile(Array(text.utf8), name: "x"))
    let codecs = Codecs.formats.filter { $0.recognises(head) }.map { $0.format.name }
    #expect(codecs.first == "gemini-interactions", "\(codecs)")
    for fixture in WireFixtures.all.map(\.text) + FrameworkFixtures.all.map(\.1) {
      let other = try FileHead(ForeignFile(Array(fixture.utf8), name: "x"))
      #expect(!GeminiInteractionsCodec.recognises(other))
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: Fixtures.samples.path)))
  func `a recording comes in, and comes out to the byte`() async throws {
    let file = Fixtures.samples.appending(
      path: "gemini-interactions/multi_turn_stateless_turn2.json")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    try await Self.imported(text) { report, session, entries in
      #expect(report.skipped == [])
      #expect(entries.map(\.kind) == [.reasoning, .response])
      #expect(entries[1].usage?.output == 500)
      #expect(entries[1].usage?.reasoning == 446)
    }
  }
}
