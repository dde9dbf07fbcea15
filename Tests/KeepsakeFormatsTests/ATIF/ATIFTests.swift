import Foundation
import KeepsakeFiles
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("ATIF")
struct ATIFTests {
  @Test func `a session with everything is a trajectory, with its media beside`() async throws {
    try await withEverything { made, folder in
      let file = folder.appending(path: "my fruit?.json")
      let losses = try await made.session.export(as: "atif", to: file)
      try await Golden.expect(Data(contentsOf: file), of: made, is: "atif/everything.json")
      #expect(
        losses.counts == [
          .events: 1, .unfinished: 1, .erased: 1, .withoutCall: 1, .structures: 1, .foreign: 1,
          .attachments: 2, .loose: 1, .details: 3,
        ])
      let beside = folder.appending(path: "my fruit?.artifacts")
      let names = try FileManager.default.contentsOfDirectory(atPath: beside.path)
      for name in names {
        let digest = SHA256.digest(of: [UInt8](try Data(contentsOf: beside.appending(path: name))))
        #expect(name.hasPrefix(digest.hex.prefix(16)))
      }
      #expect(names.count == 4)
    }
  }

  @Test func `without files, words stand where media were`() async throws {
    try await withEverything { made, _ in
      // A stream has nothing beside it.
      let (bytes, losses) = try await made.session.exported(as: "atif")
      try await Golden.expect(Data(bytes), of: made, is: "atif/everything-none.json")
      #expect(losses[.attachments] == 7)
      #expect(try await made.session.exported(as: "atif").bytes == bytes)
    }
  }

  @Test func `a fork says what it shares, and what it was forked from`() async throws {
    try await withEverything { made, _ in
      let text = String(decoding: try await made.fork.exported(as: "atif").bytes, as: UTF8.self)
      let json = try JSON(validating: text)
      let copied = json["steps"]?.arrayValue?.map { $0["is_copied_context"]?.boolValue ?? false }
      #expect(copied == [true, true, true, true, false])
      #expect(
        json["extra"]?["keepsake"]?["forkOf"]?.stringValue
          == made.session.id.uuidString.lowercased())
      #expect(json["extra"]?["keepsake"]?["forkPosition"]?.text == "9")
    }
  }

  @Test func `a session without entries has the one step that the format asks for`() async throws {
    try await withStore { store, _ in
      let (bytes, losses) = try await store.createSession().exported(as: "atif")
      let json = try JSON(validating: String(decoding: bytes, as: UTF8.self))
      #expect(json["steps"]?.arrayValue?.map { $0["source"]?.stringValue } == ["system"])
      #expect(json["final_metrics"]?["total_steps"]?.text == "1")
      #expect(losses.isEmpty)
    }
  }

  @Test func `an answer is one step, and a second response is another`() async throws {
    try await withStore { store, _ in
      let session = try await store.createSession()
      let call = Entry.ToolCall(id: "a", tool: "T")
      let late = Entry.ToolCall(id: "b", tool: "T")
      var other = Entry.reasoning("of another model")
      other.model = "other"
      var response = Entry.response("one")
      response.model = "first"
      try await session.append([
        .reasoning("1"), .reasoning("2"), response, .toolCalls([call]), .toolCalls([late]),
        .toolOutput(for: call, text: "at once"), .response("two"),
        .toolOutput(for: late, text: "late"), .response("three"), other, .response("four"),
        .response("five"),
      ])
      let (bytes, losses) = try await session.exported(as: "atif")
      let steps = try #require(
        JSON(validating: String(decoding: bytes, as: UTF8.self))["steps"]?.arrayValue)
      #expect(
        steps.map { $0["message"]?.stringValue } == ["one", "two", "", "three", "four", "five"])
      #expect(steps[0]["reasoning_content"]?.stringValue == "1\n2")
      #expect(steps[0]["tool_calls"]?.arrayValue?.count == 2)
      #expect(steps[2]["source"]?.stringValue == "system")
      #expect(
        steps[2]["observation"]?["results"]?.arrayValue?.map { $0["content"]?.stringValue }
          == ["late"])
      #expect(losses.counts == [.withoutCall: 1])
    }
  }

  @Test(arguments: [
    ("image/jpg", "image/jpeg"), ("audio/mp3", "audio/mpeg"), ("audio/vnd.wave", "audio/wav"),
    ("image/svg+xml", nil), ("video/mp4", nil), ("application/pdf", nil), ("", nil),
  ])
  func `media have the types that the format allows, as it spells them`(
    declared: String, type: String?
  ) {
    let attachment = OutgoingAttachment(.absent, mediaType: MediaType(declared))
    #expect(ATIFPart.mediaType(of: attachment) == type)
  }

  @Test func `it is for no model to go on from, and is not read`() async throws {
    try await ExportRefusals.expectWrittenOnly("atif")
  }

  @Test func `a cancelled export leaves nothing behind`() async throws {
    try await ExportRefusals.expectNothingWhenCancelled("atif")
  }
}
