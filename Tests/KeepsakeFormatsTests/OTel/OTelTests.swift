import Foundation
import KeepsakeFiles
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("OpenTelemetry")
struct OTelTests {
  @Test func `a session with everything is a trace that holds its media`() async throws {
    try await withEverything { made, _ in
      let (bytes, losses) = try await made.session.exported(as: "otel")
      try await Golden.expect(Data(bytes), of: made, is: "otel/everything.json")
      #expect(
        losses.counts == [
          .events: 1, .erased: 1, .foreign: 1, .withoutCall: 1, .details: 1, .attachments: 1,
          .loose: 1, .structures: 1,
        ])
      #expect(try await made.session.exported(as: "otel").bytes == bytes)
    }
  }

  @Test func `media are files beside where that is asked for, and words where nothing is`()
    async throws
  {
    try await withEverything { made, folder in
      let file = folder.appending(path: "a b.json")
      try await made.session.export(as: "otlp", to: file, options: .init(artifacts: .files))
      let spans = try Self.spans([UInt8](Data(contentsOf: file)))
      let input = try #require(Self.value("gen_ai.input.messages", of: spans[0]))
      let image = try JSON(validating: input)[1]?["parts"]?[1]
      let path = try #require(image?["uri"]?.stringValue)
      #expect(image?["type"]?.stringValue == "uri")
      #expect(path.hasPrefix("a%20b.artifacts/"))
      let beside = folder.appending(path: try #require(URLPath.decoded(path)))
      #expect(try Data(contentsOf: beside) == EverythingSession.png)
      let none = try await made.session.exported(
        as: "otel", options: .init(artifacts: ExportOptions.Artifacts.none))
      #expect(none.losses[.attachments] == 7)
      #expect(!String(decoding: none.bytes, as: UTF8.self).contains("blob"))
    }
  }

  @Test func `each span says what is new, and ids are the same each time`() async throws {
    try await withStore { store, _ in
      let session = try await store.createSession(id: EverythingSession.id(7))
      for turn in 1...3 {
        try await session.append([.prompt("ask \(turn)"), .response("answer \(turn)")])
      }
      try await session.append(.prompt("nobody answers"))
      let spans = try Self.spans(try await session.exported(as: "otel").bytes)
      #expect(spans.map { $0["name"]?.stringValue } == ["chat", "chat", "chat", "invoke_agent"])
      for (index, span) in spans.enumerated() {
        let input = try #require(Self.value("gen_ai.input.messages", of: span))
        let said = try JSON(validating: input).arrayValue?.map {
          $0["parts"]?[0]?["content"]?.stringValue
        }
        #expect(said == [index < 3 ? "ask \(index + 1)" : "nobody answers"])
        #expect(span["traceId"]?.stringValue == "3f2a1b2c000040008000000000000007")
        #expect(span["spanId"]?.stringValue?.count == 16)
      }
      #expect(Set(spans.map { $0["spanId"]?.stringValue }).count == 4)
      #expect(spans[3]["parentSpanId"] == nil)
      #expect(
        spans.prefix(3).allSatisfy { $0["parentSpanId"] == spans[3]["spanId"] })
    }
  }

  @Test func `times are those that the store has, and it is said where they are from`() async throws
  {
    try await withEverything { made, _ in
      let spans = try Self.spans(try await made.session.exported(as: "otel").bytes)
      let run = try #require(spans.first { $0["name"]?.stringValue == "execute_tool Draw" })
      #expect(Self.value("keepsake.time.basis", of: run) == "run")
      #expect(
        run["startTimeUnixNano"]?.stringValue
          == OTelTime.nanoseconds(EverythingSession.clock().microseconds))
      let last = try #require(spans.last { $0["name"]?.stringValue == "chat painter-1" })
      #expect(Self.value("keepsake.time.basis", of: last) == "position")
    }
    try await withStore { store, _ in
      let session = try await store.createSession()
      var entry = Entry.response("when?")
      entry.created = nil
      try await session.append(entry)
      let spans = try Self.spans(try await session.exported(as: "otel").bytes)
      #expect(spans.map { Self.value("keepsake.time.basis", of: $0) } == ["session", "spans"])
    }
  }

  @Test(arguments: [(-1, "0"), (1, "1000"), (Int64.max, "18446744073709551615")])
  func `times that do not fit are at the limit`(microseconds: Int64, nanoseconds: String) {
    #expect(OTelTime.nanoseconds(microseconds) == nanoseconds)
  }

  @Test func `a large artifact is named and not in the trace`() async throws {
    try await withStore { store, _ in
      let session = try await store.createSession()
      try await session.append(
        Entry(.prompt, segments: [.attachment(0)]),
        attaching: [.init(.data(Data(count: 1 << 20 + 1)), mediaType: .png)])
      let (bytes, losses) = try await session.exported(as: "otel")
      #expect(bytes.count < 10_000)
      #expect(String(decoding: bytes, as: UTF8.self).contains(#"\"uri\":\"sha256:"#))
      #expect(losses.counts == [.attachments: 1])
    }
  }

  @Test func `an empty session is a span without others`() async throws {
    try await withStore { store, _ in
      let (bytes, losses) = try await store.createSession().exported(as: "otel")
      #expect(try Self.spans(bytes).map { $0["name"]?.stringValue } == ["invoke_agent"])
      #expect(losses.isEmpty)
    }
  }

  @Test func `it is for no model to go on from, and is not read`() async throws {
    try await ExportRefusals.expectWrittenOnly("otel")
  }

  @Test func `a cancelled export leaves nothing behind`() async throws {
    try await ExportRefusals.expectNothingWhenCancelled("otel")
  }

  // MARK: - Looking into traces

  private static func spans(_ bytes: [UInt8]) throws -> [JSON] {
    let json = try JSON(validating: String(decoding: bytes, as: UTF8.self))
    return try #require(json["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue)
  }

  private static func value(_ key: String, of span: JSON) -> String? {
    let attribute = span["attributes"]?.arrayValue?.first { $0["key"]?.stringValue == key }
    return attribute?["value"]?["stringValue"]?.stringValue
  }
}
