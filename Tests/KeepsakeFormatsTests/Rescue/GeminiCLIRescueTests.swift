import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// What keeps sessions of Gemini CLI from going on: each is refused before it is healed, and is not afterwards.
@Suite("A session of Gemini CLI that can't go on")
struct GeminiCLIRescueTests {
  private static let header =
    #"{"sessionId":"\#(Talk.session)","projectHash":"743e","startTime":"2026-11-20T10:00:00.000Z","lastUpdated":"2026-11-20T10:00:00.000Z","kind":"main"}"#

  private static func message(
    _ id: String, _ type: String, _ content: String, _ more: String = ""
  ) -> String {
    #"{"id":"\#(id)","timestamp":"2026-11-20T10:00:00.000Z","type":"\#(type)","content":\#(content)\#(more)}"#
  }

  private static func calls(_ result: String) -> String {
    #","toolCalls":[{"id":"c-1","name":"read_file","args":{}\#(result),"status":"success"}]"#
  }

  private static let response =
    #"{"functionResponse":{"id":"c-1","name":"read_file","response":{"output":"a banana"}}}"#

  private static let sound = [
    header, message("m-1", "user", #"[{"text":"Read it."}]"#),
    message("m-2", "gemini", #""I read.""#),
    message("m-2", "gemini", #""I read.""#, calls(#","result":[\#(response)]"#)),
    message("m-3", "gemini", #"[{"text":"A banana.","thoughtSignature":"c2ln"}]"#),
  ]

  @discardableResult
  private func heal(
    _ lines: [String], _ causes: Set<RescueCause>, options: RescueOptions = .init(),
    location: SourceLocation = #_sourceLocation
  ) throws -> (report: RescueReport, lines: [String]) {
    let healed = try Healed(Data(lines.map { $0 + "\n" }.joined().utf8), options: options)
    #expect(Set(healed.report.findings.map(\.cause)) == causes, sourceLocation: location)
    #expect(healed.report.unhealed.isEmpty, sourceLocation: location)
    #expect(try healed.again(options).isEmpty, sourceLocation: location)
    #expect(healed.unnamedChanges.isEmpty, sourceLocation: location)
    // The program deletes what it can't read, and what was not updated for long.
    for line in healed.written { #expect(try JSON(validating: Array(line.utf8)).members != nil) }
    #expect(healed.written.last?.hasPrefix(#"{"$set":{"lastUpdated":"20"#) ?? false)
    return (healed.report, healed.lines)
  }

  @Test func `is none where nothing is wrong; only its id is another`() throws {
    let (report, lines) = try heal(Self.sound, [])
    #expect(report.changes.isEmpty)
    #expect(lines.dropFirst() == Self.sound.dropFirst())
    #expect(report.before.sent == 3)
  }

  @Test(arguments: ["", #","result":null"#, #","result":[]"#])
  func `has a call that nothing came of`(result: String) throws {
    var lines = Self.sound
    lines[3] = Self.message("m-2", "gemini", #""I read.""#, Self.calls(result))
    let (report, healed) = try heal(lines, [.callUnanswered])
    #expect(report.changes.map(\.edit) == [.answer])
    #expect(healed[3].contains(RescueText.unanswered))
  }

  @Test func `has calls among its parts that nothing answers`() throws {
    let asked =
      #"[{"functionCall":{"id":"c-2","name":"ls","args":{}}},{"functionCall":{"name":"rm","args":{}}}]"#
    let some = #"[{"functionResponse":{"id":"c-2","name":"ls","response":{}}}]"#
    try heal(Self.sound + [Self.message("m-4", "gemini", asked)], [.callUnanswered])
    let (_, lines) = try heal(
      Self.sound + [Self.message("m-4", "gemini", asked), Self.message("m-5", "user", some)],
      [.callUnanswered])
    #expect(lines[6].contains(#"{"functionResponse":{"name":"rm","response":{"error""#))
    // So it is in a list of messages that was written all at once.
    let all = [Self.message("m-1", "user", #""Go.""#), Self.message("m-2", "gemini", asked)]
    let set = #"{"$set":{"messages":[\#(all.joined(separator: ","))]}}"#
    try heal(Self.sound + [set], [.callUnanswered])
  }

  @Test func `has a response that nobody asked for`() throws {
    let (report, lines) = try heal(
      Self.sound + [Self.message("m-4", "user", "[\(Self.response)]")], [.resultWithoutCall])
    #expect(report.changes.map(\.edit) == [.text])
    #expect(lines[5].contains("a banana"))
  }

  @Test func `has signatures that are none, or were refused`() throws {
    var lines = Self.sound
    lines.append(
      Self.message(
        "m-4", "gemini",
        #"[{"thoughtSignature":"§§","text":"So."},{"text":"x","thoughtSignature":""}]"#))
    let (report, healed) = try heal(lines, [.thinkingUnsigned])
    #expect(report.changes.map(\.edit) == [.strip, .strip])
    #expect(healed[5].contains(#"[{"text":"So."},{"text":"x"}]"#))
    #expect(healed[4].contains("thoughtSignature"))
    var options = RescueOptions()
    options.stripsThinking = true
    let (_, all) = try heal(Self.sound, [.thinkingRefused], options: options)
    #expect(!all.contains { $0.contains("thoughtSignature") })
    let refused = Self.message("m-5", "error", #""Thought signature is not valid.""#)
    try heal(Self.sound + [refused], [.thinkingRefused])
  }

  @Test func `has an image that can't be read`() throws {
    let page = Data("<html></html>".utf8).base64EncodedString()
    let image = #"[{"inlineData":{"mimeType":"image/png","data":"\#(page)"}}]"#
    let (report, lines) = try heal(
      Self.sound + [Self.message("m-4", "user", image)], [.imageDamaged])
    #expect(report.changes.map(\.edit) == [.label])
    #expect(lines[5].contains(#"[{"text":"[image_1: HTML, not an image"#))
  }

  @Test func `has damaged lines, the first among them`() throws {
    var options = RescueOptions()
    options.folder = "/home/alice/fruit"
    var lines = Self.sound
    lines[0] = String(Self.header.prefix(30))
    lines.append(#"{"id":"m-9","ty"#)
    let (report, healed) = try heal(lines, [.lineDamaged, .headerMissing], options: options)
    #expect(Set(report.changes.map(\.edit)) == [.leaveOut, .head])
    #expect(healed[0].contains(#""projectHash":""#))
    #expect(healed.count == 5)
    let nameless = try Healed(Data(lines.map { $0 + "\n" }.joined().utf8))
    #expect(nameless.report.unhealed.map(\.cause) == [.headerMissing])
  }

  @Test func `has what was taken back or written again: what is wrong there stays`() throws {
    let bad = Self.message("m-8", "gemini", #""""#, Self.calls(""))
    try heal(Self.sound + [bad, #"{"$rewindTo":"m-8"}"#], [])
    try heal(Self.sound + [bad, Self.message("m-8", "gemini", #""Fine.""#)], [])
  }

  @Test func `is written under a name that Gemini CLI finds`() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl")
    try Data(Self.sound.map { $0 + "\n" }.joined().utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let rescue = try Rescue(path: url.path)
    let id = UUID()
    let name = rescue.fileName(id, at: Date(timeIntervalSince1970: 1_763_632_800))
    #expect(name == "session-2025-11-20T10-00-\(id.uuidString.lowercased().prefix(8)).jsonl")
    #expect(rescue.id(inFileName: name)?.uuidString.prefix(8) == id.uuidString.prefix(8))
    #expect(rescue.id(inFileName: "session.jsonl") == nil)
  }
}
