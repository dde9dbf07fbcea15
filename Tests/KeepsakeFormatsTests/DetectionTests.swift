import Foundation
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("Formats by their content")
struct DetectionTests {
  private static func recognised(_ text: String) -> String? {
    let head = FileHead(Array(text.utf8))
    return Codecs.format(of: head)?.format.name
  }

  @Test(arguments: [
    ("apple", #"{"transcript":{"entries":[{"contents":[{"image":"data:image/jpeg;base64,AAAA"#),
    ("apple", #"{"version":1,"type":"FoundationModels.Transcript","x":"#),
    ("apple", #"{"modelName":"system","transcript":{"version":"1.1","transcript":{"entries":["#),
    ("anylanguagemodel", #"{"entries":[{"prompt":{"_0":{"id":"1","segments":["#),
    ("openai-chat", #"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    ("openai-chat", #"[{"role":"user","content":"hi"}]"#),
    ("openai-chat", "\n{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}\n{}"),
    ("openai-chat", #"{"id":"c","object":"chat.completion","choices":[]}"#),
    (
      "claude-code",
      "{\"type\":\"file-history-snapshot\"}\n{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"message\":{}}"
    ),
    ("claude-code", #"{"type":"summary","summary":"a","leafUuid":"u"}"#),
    ("codex", #"{"timestamp":"t","type":"session_meta","payload":{"id":"i"}}"#),
    ("chatgpt", #"[{"title":"t","mapping":{"a":{}},"current_node":"a"}]"#),
    ("claude-ai", #"[{"uuid":"u","name":"n","chat_messages":[]}]"#),
    ("anthropic", #"{"id":"m","type":"message","role":"assistant","content":[]}"#),
    ("anthropic", #"{"system":"s","messages":[{"role":"user","content":"hi"}]}"#),
    (
      "anthropic",
      #"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]}"#
    ),
    ("openai-responses", #"{"id":"r","object":"response","output":[]}"#),
    ("openai-responses", #"[{"type":"function_call","call_id":"c","name":"n"}]"#),
    ("gemini", #"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#),
    ("gemini", #"{"candidates":[{"content":{}}]}"#),
    ("mcp", #"{"content":[{"type":"text","text":"hi"}],"isError":false}"#),
    ("mcp", #"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text"}]}}"#),
    (nil, #"{"a":1}"#), (nil, "# Markdown"), (nil, ""), (nil, "[1,2]"), (nil, "\"transcript\""),
    (nil, #"{"steps":[{"step_id":1}],"schema_version":"ATIF-v1.8"}"#),
  ])
  func `the beginning of a file shows its format`(name: String?, text: String) {
    #expect(Self.recognised(text) == name)
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: Fixtures.samples.path),
      "The recordings in ../shared/samples are not here."),
    arguments: [
      ("apple-foundation-models", "apple"), ("openai-chat", "openai-chat"),
      ("claude-code", "claude-code"), ("codex-rollout", "codex"), ("chatgpt-export", "chatgpt"),
      ("claude-ai", "claude-ai"), ("anthropic-messages", "anthropic"),
      ("openai-responses", "openai-responses"), ("gemini-generatecontent", "gemini"),
      ("mcp", "mcp"), ("atif", nil), ("otel-genai", nil), ("ai-sdk", "ai-sdk"),
      ("ai-studio", "ai-studio"), ("gemini-interactions", "gemini-interactions"),
      ("gemini-cli", "gemini-cli"),
    ])
  func `recordings are recognised as what they are`(folder: String, name: String?) async throws {
    let place = Fixtures.samples.appending(path: folder)
    let files = try FileManager.default.contentsOfDirectory(
      at: place, includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files {
      #expect(try await Format.recognised(in: file)?.name == name, "\(file.lastPathComponent)")
    }
  }

  @Test func `names are told apart, and none is taken twice`() throws {
    let names = Format.all.flatMap { [$0.name] + $0.otherNames }
    #expect(Set(names).count == names.count)
    #expect(Format(named: "apple26")?.name == "apple")
    #expect(Format(named: "alm")?.canWrite == true)
    #expect(Format(named: "chatgpt")?.canWrite == false)
    #expect(Format(named: "markdown")?.canRead == false)
    #expect(Format(named: "claude-code")?.canRead == true)
    #expect(Format(named: "nothing") == nil)
    let unknown = try #require(throws: FormatError.self) { try Codecs.named("nothing") }
    #expect(unknown.message.contains("apple, apple26"))
  }

  @Test func `what can't be imported is told what it is`() async throws {
    try await withStore { store, folder in
      for (text, words) in [
        ("", "it is empty"), ("\0\0\0\0", "zero bytes"), ("{\"a\":1}", "no format that is known"),
        ("PK\u{3}\u{4}xx", "it is damaged or cut off"),
      ] {
        let error = try await #require(throws: FormatError.self) {
          try await store.importing(Array(text.utf8), in: folder)
        }
        #expect(error.message.contains(words), "\(error.message)")
      }
      let missing = try await #require(throws: FormatError.self) {
        try await store.importFile(at: folder.appending(path: "nothing.json"))
      }
      #expect(missing.code == .notFound)
      let isFolder = try await #require(throws: FormatError.self) {
        try await store.importFile(at: folder)
      }
      #expect(isFolder.message.contains("it is a folder"))
      #expect(try await store.sessions().sessions.isEmpty)
    }
  }
}
