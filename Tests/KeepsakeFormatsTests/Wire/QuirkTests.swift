import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

/// What is seen in the wild, by the numbers of the list that they were gathered in.
@Suite("Quirks of services' files")
struct QuirkTests {
  private func entries(_ text: String, as format: String) async throws -> [Entry] {
    try await withStore { store, folder in
      let report = try await store.importing(Array(text.utf8), in: folder, format: format)
      let session = try await store.session(try #require(report.sessions.first).id)
      // Whatever a file holds, it comes out as it was.
      let (bytes, losses) = try await session.exported(as: format)
      #expect(String(decoding: bytes, as: UTF8.self) == text)
      #expect(losses.isEmpty)
      return try await session.entries.all()
    }
  }

  private static let image = WireFixtures.image
  private static let plain = image.replacing("=", with: "")

  @Test(arguments: [
    image, plain, image.replacing("+", with: "-").replacing("/", with: "_"),
    String(image.prefix(40)) + "\\n" + String(image.dropFirst(40)),
  ])
  func `1: base64 is read in either alphabet, broken into lines, and without padding`(
    base64: String
  ) async throws {
    let text =
      #"{"contents":[{"role":"user","parts":[{"inline_data":{"mime_type":"image/png","data":"\#(base64)"}}]}]}"#
    let found = try await entries(text, as: "gemini")
    #expect(found[0].attachments.first?.artifact?.size == 70)
  }

  @Test(arguments: [
    "data:image/png;base64,", "data:image/png;charset=utf-8;name=a.png;base64,",
    "DATA:image/png;BASE64,",
  ])
  func `1: a data URL may have parameters, and be spelled in capitals`(prefix: String) async throws
  {
    let text =
      #"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"\#(prefix)\#(Self.image)"}}]}]"#
    let found = try await entries(text, as: "openai-chat")
    #expect(found[0].attachments.first?.artifact?.sniffedType == "image/png")
  }

  @Test func `2: damaged base64 is kept as it is`() async throws {
    let text =
      #"[{"type":"image_generation_call","id":"ig_1","status":"completed","result":"iVBO...Rw0K"}]"#
    let found = try await entries(text, as: "openai-responses")
    #expect(found.count == 2)
    #expect(found[1].attachments.isEmpty)
    #expect(found[1].callID == "ig_1")
  }

  @Test func `3: bytes are what they are, whatever they are declared to be`() async throws {
    let text =
      #"{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"\#(Self.image)"}}]}]}"#
    let found = try await entries(text, as: "anthropic")
    #expect(found[0].attachments[0].mediaType == "image/jpeg")
    #expect(found[0].attachments[0].artifact?.sniffedType == "image/png")
  }

  @Test func `7: calls without ids have the same ones the next time`() async throws {
    let text =
      #"[{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":{"n":1}}}]},{"role":"tool","tool_name":"f","content":"1"}]"#
    let first = try await entries(text, as: "openai-chat")
    let second = try await entries(text, as: "openai-chat")
    #expect(first[0].toolCalls.map(\.id) == second[0].toolCalls.map(\.id))
    #expect(first[1].callID == first[0].toolCalls[0].id)
    #expect(first[1].tool == "f")
  }

  @Test(arguments: ["[{'type': 'input_file'}]", "{\"cut\": ", "", "a text"])
  func `10, 11: arguments and outputs that are no JSON stay to the letter`(words: String)
    async throws
  {
    let escaped = JSON.string(words).text
    let text =
      #"[{"type":"function_call","call_id":"c","name":"f","arguments":\#(escaped)},{"type":"function_call_output","call_id":"c","output":\#(escaped)}]"#
    let found = try await entries(text, as: "openai-responses")
    #expect(found[0].toolCalls[0].arguments == words)
    #expect(found[1].text == words)
  }

  @Test(arguments: [
    (#""content":"a""#, "a"), (#""content":[{"type":"text","text":"a"}]"#, "a"),
    (#""content":["a"]"#, "a"), (#""content":null"#, ""), (#""name":"b""#, ""),
    (#""content":{"text":"a"}"#, ""),
  ])
  func `12: content may be a text, a list, nothing, or be absent`(content: String, text: String)
    async throws
  {
    let file = #"[{"role":"user",\#(content)},{"role":"assistant","content":"b"}]"#
    let found = try await entries(file, as: "openai-chat")
    #expect(found.map(\.kind) == [.prompt, .response])
    #expect(found[0].text == text)
  }

  @Test(
    arguments: [
      (#""2026-11-20T10:00:00.5Z""#, 1_795_168_800.5),
      (#""2026-11-20T10:00:00.123456789Z""#, 1_795_168_800.123456),
      (#""2026-11-20T12:00:00+02:00""#, 1_795_168_800),
      (#""2026-11-20T10:00:00""#, 1_795_168_800), (#""2026-11-20 10:00:00.25""#, 1_795_168_800.25),
      ("1795168800", 1_795_168_800), ("1795168800.123456", 1_795_168_800.123456),
      ("1795168800000", 1_795_168_800), (#""1795168800""#, 1_795_168_800),
      (#""1795168800.5""#, 1_795_168_800.5), ("0", nil), ("null", nil), ("\"\"", nil),
      (#""soon""#, nil), ("-5", nil), ("1e300", nil), (#""nan""#, nil), ("true", nil),
    ] as [(String, Double?)])
  func `13: times come in many spellings, and what is none says none`(json: String, time: Double?)
    throws
  {
    let date = ForeignTime.date(try JSON(validating: json))
    #expect(
      date.map { ($0.timeIntervalSince1970 * 1e6).rounded() } == time.map { ($0 * 1e6).rounded() })
  }

  @Test func `13: entries stand in the order of the file, whatever their times say`() async throws {
    let times = ["1795168800.5", "1795168700", "0", "null", #""2026-11-20T10:00:00Z""#]
    let items = times.enumerated().map { index, time in
      #"{"object":"chat.completion","created":\#(time),"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"\#(index)"}}]}"#
    }
    let found = try await entries(items.joined(separator: "\n") + "\n", as: "openai-chat")
    #expect(found.map(\.text) == ["0", "1", "2", "3", "4"])
    #expect(found.map { $0.created == nil } == [false, false, true, true, false])
  }

  @Test func `14: what is not known is kept, and told of`() async throws {
    try await withStore { store, folder in
      let text =
        #"[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"future","x":1}]},{"type":"future_item","y":2}]"#
      let report = try await store.importing(
        Array(text.utf8), in: folder, format: "openai-responses")
      #expect(report.skipped.map(\.isKept) == [true, true])
      let found = try await store.session(report.sessions[0].id).entries.all()
      #expect(found.map(\.kind) == [.prompt, .unknown])
    }
  }

  /// Each says 100 tokens in, 40 of them from the cache, and 30 out, 20 of them for thoughts.
  @Test(arguments: [
    (
      "openai-chat",
      #"{"object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a"}}],"usage":{"prompt_tokens":100,"completion_tokens":30,"total_tokens":130,"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":20}}}"#
    ),
    (
      "openai-responses",
      #"{"object":"response","model":"m","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":100,"output_tokens":30,"input_tokens_details":{"cached_tokens":40},"output_tokens_details":{"reasoning_tokens":20}}}"#
    ),
    (
      "anthropic",
      #"{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":60,"cache_read_input_tokens":40,"cache_creation_input_tokens":0,"output_tokens":30}}"#
    ),
    (
      "gemini",
      #"{"modelVersion":"m","candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":40,"candidatesTokenCount":10,"thoughtsTokenCount":20,"totalTokenCount":130}}"#
    ),
  ])
  func `16: what an answer took counts alike, whatever a service adds to what`(
    format: String, text: String
  ) async throws {
    let usage = try #require(try await entries(text, as: format).last?.usage)
    #expect(usage.input == 100)
    #expect(usage.cachedInput == 40)
    #expect(usage.output == 30)
    #expect(usage.reasoning == (format == "anthropic" ? nil : 20))
  }

  @Test func `17: what lies elsewhere is named, and never opened`() async throws {
    let text =
      #"{"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"gs://bucket/a.png"}}]}]}"#
    let found = try await entries(text, as: "gemini")
    #expect(found[0].attachments.map(\.state) == [.remote])
    #expect(found[0].attachments.map(\.reference) == ["gs://bucket/a.png"])
  }

  @Test(arguments: [
    "../../escaped.png", "/tmp/escaped.png", "a/../../escaped.png", "..", "C:\\escaped.png",
    "con.png", "cafe\u{301}.png", "a\u{0}b.png", String(repeating: "a", count: 4000) + ".png",
  ])
  func `18: no name in a file becomes a path when it is exported`(name: String) async throws {
    let url = "data:image/png;base64,\(Self.image)"
    let text =
      #"[{"role":"user","content":[{"type":"file","file":{"filename":\#(JSON.string(name).text),"file_data":"\#(url)"}}]}]"#
    try await withStore { store, folder in
      let report = try await store.importing(Array(text.utf8), in: folder, format: "openai-chat")
      let session = try await store.session(report.sessions[0].id)
      let out = folder.appending(path: "deep/Out", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
      try await store.export([session], as: "markdown", to: out.appending(path: "chat.md"))
      let deep = folder.appending(path: "deep").path
      let images = try FileManager.default.subpathsOfDirectory(atPath: deep)
        .filter { $0.hasSuffix(".png") }
      #expect(images.count == 1)
      for image in images {
        #expect(image.hasPrefix("Out/chat.artifacts/"))
        #expect(image.utf8.count < 300)
      }
    }
  }

  @Test(arguments: ["../evil.jsonl", "a/../../evil.jsonl", "/tmp/evil.jsonl"])
  func `19: what an archive calls a file leads nowhere`(name: String) async throws {
    var rollout = Rollout(id: "a")
    rollout.message("user", "a banana")
    let lines = rollout.lines.joined(separator: "\n") + "\n"
    try await withStore { store, folder in
      let file = folder.appending(path: "export.zip")
      try Data(Packed.zip([.init(name, lines), .init("good.jsonl", lines)])).write(to: file)
      let report = try await store.importFile(at: file)
      #expect(report.sessions.count == 1)
      #expect(report.skipped.count == 1)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
          == ["Chats.keepsake", "export.zip"])
    }
  }

  @Test func `20: an image that a program made smaller for the model is kept beside its original`()
    async throws
  {
    // Both are long enough to be cut out of the line.
    let seen = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let original = Data((0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 11) })
    let lines = [
      #"{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"/home/alice/a.png"}}]}}"#,
      #"{"type":"user","uuid":"b","sessionId":"s","toolUseResult":{"type":"image","file":{"base64":"\#(original.base64EncodedString())","type":"image/png"}},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"\#(seen.base64EncodedString())"}}]}]}}"#,
    ]
    let text = lines.joined(separator: "\n") + "\n"
    try await withStore { store, folder in
      let report = try await store.importing(Array(text.utf8), in: folder, format: "claude-code")
      #expect(report.artifacts.new == 2)
      let session = try await store.session(report.sessions[0].id)
      let output = try await session.entries.all()[1]
      #expect(try await output.attachments.first?.artifact?.data() == seen)
      let artifacts = try await store.artifacts().artifacts
      #expect(Set(artifacts.map(\.size)) == [3000, 9000])
      let (bytes, _) = try await session.exported(as: "claude-code")
      #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
  }
}
