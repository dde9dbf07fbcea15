import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// Sessions as Gemini CLI writes them, written here afresh.
@Suite("Sessions of Gemini CLI")
struct GeminiCLIReadingTests {
  static let picture = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 / 256) })
  static var image: String { picture.base64EncodedString() }

  static let header =
    #"{"sessionId":"g-1","projectHash":"h","startTime":"2026-11-20T10:00:00Z","lastUpdated":"2026-11-20T10:00:00Z","kind":"main"}"#

  static func message(_ type: String, _ id: String, _ others: String) -> String {
    #"{"id":"\#(id)","timestamp":"2026-11-20T10:00:05.500Z","type":"\#(type)",\#(others)}"#
  }

  static let answer =
    #""content":"I look.","thoughts":[{"subject":"Plan","description":"Read it.","timestamp":"2026-11-20T10:00:04Z"}],"tokens":{"input":100,"output":20,"cached":60,"thoughts":10,"tool":0,"total":130},"model":"gemini-x""#

  static var talk: [String] {
    [
      header, #"{"$set":{"lastUpdated":"2026-11-20T10:00:01Z"}}"#,
      message("user", "u-1", #""content":[{"text":"What is it?"}]"#),
      message("gemini", "m-1", answer),
      // The program writes a message again once the call in it has its result.
      message(
        "gemini", "m-1",
        answer
          + #","toolCalls":[{"id":"c-1","name":"read_file","args":{"path":"a.png"},"result":[{"functionResponse":{"id":"c-1","name":"read_file","response":{"output":"seen"},"parts":[{"inlineData":{"mimeType":"image/png","data":"\#(image)"}}]}}],"status":"success"}]"#
      ),
      message("gemini", "m-2", #""content":"A banana.","thoughts":[],"model":"gemini-x""#),
    ]
  }

  private func withImport(
    _ text: String, name: String = "session-2026-11-20T10-00-g1.jsonl",
    _ body: (Store, Session, ImportReport) async throws -> Void
  ) async throws {
    try await withStore { store, folder in
      let url = folder.appending(path: name)
      try Data(text.utf8).write(to: url)
      let format = try await Format.recognised(in: url)
      #expect(format?.name == "gemini-cli")
      let report = try await store.importFile(at: url)
      let session = try await store.session(#require(report.sessions.first?.id))
      try await body(store, session, report)
      #expect(try await store.verify().findings == [])
      let bytes = try await session.exported(as: "gemini-cli").0
      #expect(Data(bytes) == Data(text.utf8))
    }
  }

  @Test func `6: a message that is written again adds what is new of it`() async throws {
    try await withImport(Self.talk.joined(separator: "\n") + "\n") { store, session, report in
      #expect(report.skipped.isEmpty)
      let entries = try await session.entries.all()
      #expect(
        entries.map(\.kind) == [
          .prompt, .reasoning, .response, .toolCalls, .toolOutput, .response,
        ])
      #expect(entries[1].text == "Plan\nRead it.")
      #expect(entries[3].toolCalls.map(\.arguments) == [#"{"path":"a.png"}"#])
      #expect(entries[4].text == "seen")
      #expect(entries[4].attachments.map(\.tool) == ["read_file"])
      #expect(entries[4].attachments.map(\.basis) == [.recorded])
      #expect(Set(entries.map(\.turn)) == [1])
      #expect(entries[5].model == "gemini-x")
      let total = try await session.usage()
      #expect((total.entries, total.input, total.output) == (1, 100, 30))
      #expect(total.cachedInput == 60 && total.reasoning == 10)
    }
  }

  @Test func `4: parts in either spelling, going back, messages set anew, and what is told`()
    async throws
  {
    let lines =
      Self.talk + [
        Self.message(
          "user", "u-2",
          #""content":[{"inline_data":{"mime_type":"image/png","data":"\#(Self.image)"}},{"file_data":{"file_uri":"gs://a/b.png"}}]"#
        ),
        Self.message("error", "e-1", #""content":"no network""#),
        #"{"$rewindTo":"u-2"}"#,
        #"{"$set":{"messages":[\#(Self.talk[2]),\#(Self.message("user", "u-3", #""content":"again""#))]}}"#,
        Self.message("hologram", "x-1", #""content":"?""#),
      ]
    try await withImport(lines.joined(separator: "\n")) { store, session, report in
      let last = try await session.entries(last: 4)
      #expect(last.map(\.kind) == [.prompt, .event, .event, .prompt])
      #expect(last[0].attachments.map(\.state) == [.present, .remote])
      #expect(last[1].text == "no network")
      #expect(last[3].text == "again")
      #expect(try await store.artifacts().artifacts.count == 1)
      #expect(report.skipped.map(\.line) == [11])
    }
  }

  @Test func `an older session is one document`() async throws {
    let messages = [
      Self.message("user", "u-1", #""content":"hello""#),
      Self.message("gemini", "m-1", Self.answer),
    ]
    let text =
      #"{"sessionId":"g-2","projectHash":"h","messages":[\#(messages.joined(separator: ","))]}"#
    try await withImport(text, name: "session.json") { store, session, report in
      let kinds = try await session.entries.all().map(\.kind)
      #expect(kinds == [.prompt, .reasoning, .response])
    }
  }

  @Test func `the recorded sample comes in whole, and is given back to the byte`() async throws {
    let sample = Fixtures.samples.appending(path: "gemini-cli/session_2026-05_excerpt.jsonl")
    guard FileManager.default.fileExists(atPath: sample.path) else { return }
    let text = try String(contentsOf: sample, encoding: .utf8)
    try await withImport(text) { store, session, report in
      #expect(report.skipped.isEmpty)
      let outputs = try await session.entries.all().filter { $0.kind == .toolOutput }
      #expect(outputs.map(\.tool) == ["list_directory", "read_file"])
    }
  }
}
