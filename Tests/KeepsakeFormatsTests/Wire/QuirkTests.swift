import Foundation
import Keepsake
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

  @Test func `17: what lies elsewhere is named, and never opened`() async throws {
    let text =
      #"{"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"gs://bucket/a.png"}}]}]}"#
    let found = try await entries(text, as: "gemini")
    #expect(found[0].attachments.map(\.state) == [.remote])
    #expect(found[0].attachments.map(\.reference) == ["gs://bucket/a.png"])
  }
}
