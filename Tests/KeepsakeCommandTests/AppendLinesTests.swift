import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake append, from lines")
struct AppendLinesTests {
  @Test(arguments: [
    (#"{"kind":"prompt","txet":"oops"}"#, "the entry", "txet", "text"),
    (#"{"kind":"prompt","Text":"oops"}"#, "the entry", "Text", "text"),
    (#"{"kind":"prompt","segments":[{"txt":"a","text":"b"}]}"#, "the segment", "txt", "text"),
    (
      #"{"kind":"toolCalls","toolCalls":[{"tool":"Draw","args":"{}"}]}"#, "the tool call", "args",
      nil
    ),
    (
      #"{"kind":"toolCalls","toolCalls":[{"tool":"Draw","argument":"{}"}]}"#, "the tool call",
      "argument", "arguments"
    ),
    (
      #"{"kind":"prompt","text":"x","attachments":[{"artefact":"sha256:00"}]}"#, "the attachment",
      "artefact", "artifact"
    ),
    (
      #"{"kind":"prompt","attachments":[{"state":"missing","captions":[{"txet":"a"}]}]}"#,
      "the caption", "txet", "text"
    ),
  ])
  func `a member that nobody knows is an error that names the line and the nearest one`(
    line: String, place: String, name: String, near: String?
  ) async throws {
    let fruit = try await FruitStore()
    let input = "\(#"{"kind":"prompt","text":"first"}"#)\n\n\(line)\n"
    let run = await fruit.run("append", "last", input: input)
    #expect(run.code == .failed)
    #expect(run.error.contains("Line 3: Can't read \(place): it has no member '\(name)'."))
    #expect(run.error.contains("Did you mean") == (near != nil), "\(run.error)")
    if let near { #expect(run.error.contains("Did you mean '\(near)'?")) }
    #expect(run.error.hasSuffix("Nothing was appended.\n"))
    #expect(try await fruit.run("ls", "--json").json()[0]?["entries"]?.intValue == 5)
  }

  @Test func `an event goes back to a position that is there, and to no other`() async throws {
    let fruit = try await FruitStore()
    let back = #"{"kind":"event","text":"Back.","continuesAfter":1}"#
    let run = await fruit.run("append", "last", input: back)
    #expect(run.code == .done, "\(run.error)")
    let shown = try await fruit.run("show", "last", "--entry", "5", "--json").json()
    #expect(shown["entries"]?[0]?["continuesAfter"]?.intValue == 1)
    let export = await fruit.run("export", "last", "--format", "codex")
    #expect(export.output.contains(FruitStore.prompt))
    #expect(!export.output.contains("GenerateImage"))
    #expect(export.error.contains("entries that were taken back"), "\(export.error)")
    for wrong in [#""continuesAfter":6"#, #""continuesAfter":-2"#, #""continuesAfter":"1""#] {
      let run = await fruit.run("append", "last", input: "{\"kind\":\"event\",\(wrong)}")
      #expect(run.code == .failed, "\(wrong)")
    }
    let prompt = await fruit.run(
      "append", "last", input: #"{"kind":"prompt","text":"x","continuesAfter":1}"#)
    #expect(prompt.code == .failed)
    #expect(prompt.error.contains("Only an event can go back"), "\(prompt.error)")
  }

  @Test func `a text beside segments that don't have it is not dropped in silence`() async throws {
    let fruit = try await FruitStore()
    let line = #"{"kind":"prompt","text":"hello","segments":[]}"#
    let run = await fruit.run("append", "last", input: line)
    #expect(run.code == .failed)
    #expect(run.error.contains("Line 1: "))
    #expect(try await fruit.run("ls", "--json").json()[0]?["entries"]?.intValue == 5)
  }

  @Test func `standard input that is empty is no entry, and an empty TEXT is one`() async throws {
    let fruit = try await FruitStore()
    for kind in ["prompt", "toolOutput", "event"] {
      let run = await fruit.run("append", "last", "--kind", kind)
      #expect(run.code == .failed)
      #expect(run.output.isEmpty)
      #expect(run.error.contains("standard input is empty"), "\(run.error)")
    }
    #expect(try await fruit.run("ls", "--json").json()[0]?["entries"]?.intValue == 5)
    #expect(await fruit.run("append", "last", "--kind", "toolOutput", "").code == .done)
    #expect(try await fruit.run("ls", "--json").json()[0]?["entries"]?.intValue == 6)
  }

  @Test func `the name of an artifact is enough to attach it`() async throws {
    let fruit = try await FruitStore()
    let named = #"{"artifact":"\#(fruit.image)"}"#
    let said =
      #"{"artifact":"\#(fruit.image)","label":"cup","caption":"a cup","maker":"step","tool":"Resize"}"#
    let input = """
      {"kind":"prompt","text":"this one?","attachments":[\(named),\(said)]}
      {"kind":"response","text":"yes","attachments":[\(named)]}
      {"kind":"toolOutput","callID":"call-1","tool":"GenerateImage","attachments":[\(named)]}
      """
    let run = await fruit.run("append", "last", input: input)
    #expect(run.code == .done, "\(run.error)")
    let lines = try run.output.split(separator: "\n").map { try JSON(validating: String($0)) }
    try #require(lines.count == 3)
    let labels = lines[0]["labels"]?.arrayValue?.compactMap(\.stringValue) ?? []
    #expect(labels.count == 2 && labels[0].hasPrefix("image_") && labels[1] == "cup")
    for label in labels { #expect(await fruit.run("get", "last/\(label)").bytes == fruit.png) }
    let entries = try await fruit.run("show", "last", "--last", "3", "--json").json()["entries"]
    let found = entries?.arrayValue?.flatMap { $0["attachments"]?.arrayValue ?? [] } ?? []
    #expect(found.map { $0["maker"]?.stringValue } == ["user", "step", "response", "toolCall"])
    #expect(found.map { $0["direction"]?.stringValue } == ["given", "made", "made", "made"])
    #expect(found.last?["callID"]?.stringValue == "call-1")
    #expect(await fruit.run("verify", "--read-data").code == .done)
    let unnamed = #"{"kind":"prompt","attachments":[{"label":"cup"}]}"#
    let refused = await fruit.run("append", "last", input: unnamed)
    #expect(refused.code == .failed)
    #expect(refused.error.contains("Line 1: Can't read the attachment: its 'artifact' is missing"))
  }

  @Test func `every member that show prints is one that append knows`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      var entry = Entry(
        .prompt,
        segments: [
          Entry.Segment(.text("a"), id: "s"), .attachment(0),
          Entry.Segment(.structure(try JSON(validating: #"{"any":1}"#), schema: "S")),
          .opaque(try JSON(validating: #"{"foreign":{"member":1}}"#), type: "x"),
        ])
      entry.status = .interrupted
      entry.visibility = .model
      (entry.key, entry.lane, entry.author, entry.model) = ("k", "router", "alice", "m")
      entry.tags = ["a", "b"]
      entry.metadata = try JSON(validating: #"{"z":1.0}"#)
      entry.options = try JSON(validating: #"{"temperature":0.70}"#)
      entry.responseFormat = .string("text")
      entry.toolDefinitions = try JSON(validating: "[]")
      entry.usage = Usage(reported: ["tokens": 7])
      entry.timing = try JSON(validating: #"{"seconds":1e-3}"#)
      (entry.signature, entry.foreignTime) = ("sig", "yesterday")
      var attachment = Entry.NewAttachment(
        .bytes([1, 2, 3]), mediaType: "image/x-png", fileName: "a.bin", label: "image_1",
        caption: "a", madeBy: .user)
      attachment.captions = [.init("a", author: "bob")]
      attachment.inputs = [.artifact(fruit.image), .entry(1)]
      attachment.place = .pointer("/any")
      attachment.reference = "/tmp/a.bin"
      try await session.append(entry, attaching: [attachment])
    }
    let entries = try #require(
      try await fruit.run("show", "last", "--json").json()["entries"]?.arrayValue)
    let id = await fruit.run("new").output.trimmingCharacters(in: .newlines)
    let run = await fruit.run("append", id, input: entries.map { "\($0.text)\n" }.joined())
    #expect(run.code == .done, "\(run.error)")
    let copies = try await fruit.run("show", id, "--json").json()["entries"]?.arrayValue ?? []
    for name in entries.last?.names ?? []
    where !["position", "id", "attachments", "turn"].contains(name) {
      #expect(entries.last?[name] == copies.last?[name], "\(name)")
    }
  }
}
