import Foundation
import KeepsakeFiles
import Keepsake
import Testing

@testable import KeepsakeFormats

/// Files of services in a store: taken in, added to, and written again.
@Suite("Services' forms in a store")
struct WireStoreTests {
  private func imported(_ text: String, _ store: Store, _ folder: URL) async throws -> (
    Session, ImportReport
  ) {
    let report = try await store.importing(Array(text.utf8), in: folder)
    let id = try #require(report.sessions.first?.id)
    return (try await store.session(id), report)
  }

  private func written(_ session: Session, as format: String) async throws -> (String, Losses) {
    let file = Written()
    let losses = try await session.export(as: format) { file.add($0) }
    return (file.text, losses)
  }

  @Test(arguments: WireFixtures.all)
  func `a file comes out to the byte, and a second time it adds nothing`(
    format: String, text: String
  ) async throws {
    try await withStore { store, folder in
      let (session, report) = try await imported(text, store, folder)
      #expect(report.sessions[0].format == format)
      #expect(report.skipped.isEmpty)
      let (out, losses) = try await written(session, as: format)
      #expect(out == text)
      #expect(losses.isEmpty)
      let again = try await store.importing(Array(text.utf8), in: folder)
      #expect(again.sessions.map(\.added) == [0])
      #expect(try await store.verify().findings == [])
    }
  }

  @Test(arguments: WireFixtures.all.filter { $0.format != "mcp" })
  func `what is added stands behind what was there, which stays to the byte`(
    format: String, text: String
  ) async throws {
    try await withStore { store, folder in
      let (session, _) = try await imported(text, store, folder)
      let count = try await session.summary().entries
      try await session.append([.prompt("One more?"), .response("No.")])
      let (out, losses) = try await written(session, as: format)
      #expect(losses.isEmpty)
      let old = text.replacing("\n", with: "")
      let start = old.prefix(old.count / 2)
      #expect(out.replacing("\n", with: "").hasPrefix(start))
      #expect(out.contains("One more?"))
      let grown = try await store.importing(Array(out.utf8), in: folder)
      #expect(grown.sessions.map(\.entries) == [count + 2])
    }
  }

  @Test(arguments: WireFixtures.all.map { $0 })
  func `written anew, it says what it said`(format: String, text: String) async throws {
    try await withStore { store, folder in
      let (session, _) = try await imported(text, store, folder)
      let entries = try await session.entries.all()
      // A session of its own has no file that could be given back.
      let copy = try await store.createSession()
      for entry in entries {
        var new = entry
        new.id = UUID()
        new.key = nil
        let attachments = try await entry.newAttachments()
        try await copy.append(new.plain, attaching: attachments)
      }
      let (out, losses) = try await written(copy, as: format)
      #expect(Set(losses.counts.keys).isSubset(of: [.details, .reasoning]))
      if text.contains("custom") {
        #expect(out.contains(#""type":"custom","custom":{"name":"run","input":"print(1"}"#))
      }
      let (back, report) = try await imported(out, store, folder)
      #expect(report.skipped.isEmpty)
      let read = try await back.entries.all()
      let kept = entries.filter { losses[.reasoning] == 0 || $0.kind != .reasoning }
      #expect(read.map(\.kind) == kept.map(\.kind))
      #expect(read.map(\.text) == kept.map(\.text))
      #expect(read.flatMap(\.toolCalls).map(\.id) == kept.flatMap(\.toolCalls).map(\.id))
      #expect(read.map(\.callID) == kept.map(\.callID))
      let artifacts = kept.map { $0.attachments.map { $0.artifact?.id } }
      #expect(read.map { $0.attachments.map { $0.artifact?.id } } == artifacts)
    }
  }

  @Test func `a log of requests says each message once`() async throws {
    let one = #"{"role":"user","content":"one"}"#
    let answer = #"{"role":"assistant","content":"yes"}"#
    let log = """
      [{"request":{"model":"m","messages":[\(one)]},"response":{"object":"chat.completion","created":1700000000,"model":"m-1","choices":[{"message":\(answer)}],"usage":{"prompt_tokens":3,"completion_tokens":1}}},
       {"request":{"messages":[\(one),{"content":"yes","role":"assistant"},{"role":"user","content":"two"}]},"response":{"choices":[{"message":{"role":"assistant","content":"no"}}]}}]
      """
    try await withStore { store, folder in
      let (session, _) = try await imported(log, store, folder)
      let entries = try await session.entries.all()
      #expect(entries.map(\.text) == ["one", "yes", "two", "no"])
      #expect(entries[1].model == "m-1")
      #expect(entries[1].usage?.input == 3)
      #expect(entries[1].created == Date(timeIntervalSince1970: 1_700_000_000))
      #expect(entries[0].created == nil)
      let (out, _) = try await written(session, as: "openai-chat")
      #expect(out == log)
    }
  }

  @Test func `each line of a training file is a session, and together they are the file`()
    async throws
  {
    let lines = (1...3).map {
      #"{"messages": [{"role": "user", "content": "\#($0)"}, {"role": "assistant", "content": "so", "weight": 1}]}"#
    }
    let text = lines.joined(separator: "\n") + "\n{\"messages\": [broken\n"
    try await withStore { store, folder in
      let report = try await store.importing(Array(text.utf8), in: folder)
      #expect(report.sessions.count == 3)
      #expect(report.skipped.map(\.line) == [4])
      var sessions: [Session] = []
      for one in report.sessions { sessions.append(try await store.session(one.id)) }
      let file = Written()
      let losses = try await store.export(sessions, as: "openai-chat") { file.add($0) }
      #expect(losses.isEmpty)
      #expect(file.text == lines.joined(separator: "\n") + "\n")
      let one = Written()
      try await store.export([sessions[0]], as: "fine-tuning") { one.add($0) }
      #expect(one.text == lines[0] + "\n")
    }
  }

  @Test func `an image that a tool made stands in a prompt behind its output`() async throws {
    try await withStore { store, folder in
      let (session, _) = try await imported(WireFixtures.anthropic, store, folder)
      let (out, losses) = try await written(session, as: "openai-chat")
      #expect(losses[.moved] == 1)
      #expect(losses[.reasoning] == 1)
      let messages = try #require(try JSON(validating: out)["messages"]?.arrayValue)
      let tool = try #require(messages.firstIndex { $0["role"]?.stringValue == "tool" })
      #expect(messages[tool]["content"]?[1]?["text"]?.stringValue == "[image_2]")
      // Nothing stands between the outputs of calls that were asked for together.
      #expect(messages[tool + 1]["role"]?.stringValue == "tool")
      #expect(messages[tool + 2]["content"]?[0]?["type"]?.stringValue == "image_url")
      #expect(losses.description.contains("now in a prompt behind"))
    }
  }

  @Test func `calls of Gemini are paired by their names and order, also those without ids`()
    async throws
  {
    try await withStore { store, folder in
      let (session, _) = try await imported(WireFixtures.gemini, store, folder)
      let entries = try await session.entries.all()
      let calls = try #require(entries.first { $0.kind == .toolCalls }?.toolCalls)
      let outputs = entries.filter { $0.kind == .toolOutput }
      #expect(outputs.map(\.callID).prefix(2) == calls.map(\.id)[...])
      #expect(outputs[0].attachments.map(\.basis) == [.position])
      let artifact = try #require(outputs[0].attachments.first?.artifact)
      let trail = try await store.audit(artifact.id)
      #expect(
        trail.attachments.contains { $0.basisReason.contains("follows from its place there") })
      #expect(outputs[2].tool == "code_execution")
    }
  }

  @Test func `chunks of a streamed answer are one`() async throws {
    let chunks = """
      [{"candidates":[{"content":{"role":"model","parts":[{"text":"a ban"}]}}],"responseId":"r"},
       {"candidates":[{"content":{"role":"model","parts":[{"text":"ana"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2},"responseId":"r"}]
      """
    try await withStore { store, folder in
      let (session, _) = try await imported(chunks, store, folder)
      let entries = try await session.entries.all()
      #expect(entries.map(\.text) == ["a banana"])
      #expect(entries[0].usage?.input == 2)
      #expect(try await written(session, as: "gemini").0 == chunks)
    }
  }

  @Test func `older messages are read: a function_call, its answer by name, and what routers add`()
    async throws
  {
    let text = """
      [{"role":"assistant","content":null,"reasoning_content":"hm","function_call":{"name":"f","arguments":"{}"}},
       {"role":"function","name":"f","content":"1"},
       {"role":"assistant","content":"see","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,\(WireFixtures.image)"}}]}]
      """
    try await withStore { store, folder in
      let (session, _) = try await imported(text, store, folder)
      let entries = try await session.entries.all()
      #expect(entries.map(\.kind) == [.reasoning, .toolCalls, .toolOutput, .response])
      #expect(entries[2].callID == entries[1].toolCalls[0].id)
      #expect(entries[3].attachments.count == 1)
    }
  }

  @Test func `what a model goes on from is written for each service`() async throws {
    try await withStore { store, folder in
      let session = try await store.createSession()
      try await session.append([
        .instructions("Be kind."), .prompt("one"), .response("1"), .prompt("two"), .response("2"),
      ])
      for format in ["openai-chat", "openai-responses", "anthropic", "gemini"] {
        let file = Written()
        let options = ExportOptions(resumption: .init())
        try await session.export(as: format, options: options) { file.add($0) }
        #expect(file.text.contains("two"), "\(format)")
        #expect(try JSON(validating: file.text).kind == .object)
      }
    }
  }
}

/// Takes what is written.
private final class Written: Sendable {
  private let bytes = Locked<[UInt8]>([])

  func add(_ piece: [UInt8]) { bytes.withLock { $0 += piece } }

  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}

extension Entry {
  /// What it shows, to be attached to another one.
  fileprivate func newAttachments() async throws -> [NewAttachment] {
    var new: [NewAttachment] = []
    for attachment in attachments {
      guard let artifact = attachment.artifact else {
        new.append(.awaited(.remote, reference: attachment.reference, madeBy: .source))
        continue
      }
      new.append(
        .init(.data(try await artifact.data()), mediaType: attachment.mediaType, madeBy: .source))
    }
    return new
  }

  /// The same, as it would be appended: segments show attachments by their number in the list.
  fileprivate var plain: Entry {
    var entry = Entry(kind, segments: segments, toolCalls: toolCalls, created: nil)
    entry.callID = callID
    entry.tool = tool
    entry.signature = signature
    entry.metadata = metadata
    entry.toolDefinitions = toolDefinitions
    return entry
  }
}
