import Foundation
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("What frameworks and AI Studio keep")
struct FrameworkReadingTests {
  private static func imported(_ text: String, _ body: (Session, [Entry]) async throws -> Void)
    async throws
  {
    try await withStore { store, folder in
      let report = try await store.importing(Array(text.utf8), in: folder)
      #expect(report.skipped == [])
      let session = try await store.session(try #require(report.sessions.first).id)
      try await body(session, try await session.entries.all())
      #expect(try await store.verify().findings == [])
    }
  }

  /// Who made the attachments of an entry, and how sure that is.
  private static func makers(_ entry: Entry) -> [String] {
    entry.attachments.map {
      "\($0.maker.rawValue) \($0.callID ?? "-") \($0.basis.rawValue) \($0.state.rawValue)"
    }
  }

  @Test(arguments: FrameworkFixtures.all)
  func `they are known again, and come out to the byte`(format: String, text: String) async throws {
    try await withStore { store, folder in
      let bytes = Array(text.utf8)
      let report = try await store.importing(bytes, in: folder)
      #expect(report.sessions.map(\.format) == [format])
      #expect(report.artifacts.new <= 1, "the picture is kept once")
      let session = try await store.session(try #require(report.sessions.first).id)
      #expect(try await session.exported(as: format).bytes == bytes)
      let again = try await store.importing(bytes, in: folder)
      #expect(again.sessions.map(\.id) == [session.id])
      #expect(again.sessions.map(\.added) == [0])
    }
  }

  @Test(arguments: FrameworkFixtures.all)
  func `they are known by what is in them, whatever its order`(format: String, text: String) throws
  {
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
    for options: JSONSerialization.WritingOptions in [[], [.sortedKeys], [.prettyPrinted]] {
      let data = try JSONSerialization.data(withJSONObject: json, options: options)
      let head = try FileHead(ForeignFile([UInt8](data), name: "x"))
      #expect(Codecs.format(of: head)?.format.name == format)
    }
  }

  @Test func `a message of the AI SDK is an entry for each thing that it says`() async throws {
    try await Self.imported(FrameworkFixtures.aiSDK) { session, entries in
      #expect(try await session.summary().title == "Fruit")
      #expect(
        entries.map(\.kind) == [
          .prompt, .reasoning, .toolCalls, .toolOutput, .toolOutput, .response, .toolCalls,
        ])
      #expect(entries[0].created == Date(timeIntervalSince1970: 1_700_000_000))
      #expect(entries[1].created == nil)
      #expect(Self.makers(entries[0]) == ["user - recorded present", "user - recorded remote"])
      #expect(entries[0].attachments[0].fileName == "a.png")
      #expect(entries[1].signature == "c2ln")
      #expect(entries[2].toolCalls.map(\.tool) == ["draw-it", "look"])
      #expect(entries[3].text == "done")
      #expect(Self.makers(entries[3]) == ["toolCall c1 recorded present"])
      #expect(entries[4].text == "boom")
      #expect(entries[4].metadata?["ai-sdk"]?["state"]?.stringValue == "output-error")
      #expect(entries[5].model == "large")
      #expect(entries[6].toolCalls.map(\.id) == ["c3"])
      #expect(entries[6].usage?.output == 3)
      let (openAI, _) = try await session.exported(as: "openai")
      let text = String(decoding: openAI, as: UTF8.self)
      #expect(text.contains(#""tool_call_id":"c2","content":"boom""#), "what failed is an answer")
    }
  }

  @Test func `version 4 of the AI SDK says calls and files beside the text`() async throws {
    try await Self.imported(FrameworkFixtures.aiSDK4) { _, entries in
      #expect(
        entries.map(\.kind) == [.prompt, .reasoning, .toolCalls, .toolOutput, .response])
      #expect(Self.makers(entries[0]) == ["user - recorded present"])
      #expect(entries[3].text == "ok")
      #expect(entries[3].callID == "c1")
      #expect(entries[0].created == Date(timeIntervalSince1970: 1_767_323_045.678))
    }
  }

  @Test func `what LangChain lists as calls is not taken twice, and no model saw an artifact`()
    async throws
  {
    try await Self.imported(FrameworkFixtures.langChain) { _, entries in
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .reasoning, .response, .toolCalls, .toolOutput, .event,
          .toolOutput, .response,
        ])
      #expect(
        Self.makers(entries[1]) == [
          "user - recorded present", "user - recorded remote", "user - recorded present",
        ])
      #expect(entries[2].signature == "c2ln")
      #expect(entries[4].toolCalls.map(\.id) == ["c1", "c2"])
      #expect(entries[4].toolCalls[1].arguments == "{no")
      #expect(entries[4].usage?.input == 10)
      #expect(entries[4].model == "large")
      #expect(Self.makers(entries[5]) == ["toolCall c1 recorded present"])
      #expect(entries[6].visibility == .person)
      #expect(Self.makers(entries[6]) == ["toolCall c1 recorded present"])
      #expect(entries[7].callID == "c2", "a function's message says which one answered")
    }
  }

  @Test func `messages of LangChain that no class is known of are kept as they are`() async throws {
    try await withStore { store, folder in
      let text =
        #"[{"type":"human","data":{"content":"hi"}},{"type":"odd","data":{"content":"x"}},5]"#
      let report = try await store.importing(Array(text.utf8), in: folder)
      #expect(report.skipped.count == 2)
      #expect(report.skipped.map(\.isKept) == [true, true])
      let session = try await store.session(try #require(report.sessions.first).id)
      #expect(try await session.exported(as: "langchain").bytes == Array(text.utf8))
    }
  }

  @Test func `code that ran in AI Studio is a call and its output, by their places`() async throws {
    try await Self.imported(FrameworkFixtures.aiStudio) { _, entries in
      #expect(
        entries.map(\.kind) == [
          .instructions, .prompt, .prompt, .prompt, .prompt, .reasoning, .toolCalls, .toolOutput,
          .response,
        ])
      #expect(Self.makers(entries[2]) == ["user - recorded present"])
      #expect(entries[3].attachments.map(\.reference) == ["d-1"])
      #expect(Self.makers(entries[4]) == ["user - recorded remote"])
      #expect(entries[5].signature == "c2ln")
      #expect(entries[7].callID == entries[6].toolCalls[0].id)
      #expect(entries[8].text == "A banana.")
      #expect(entries[8].model == "models/large")
      #expect(entries[8].usage?.output == 5)
    }
  }
}
