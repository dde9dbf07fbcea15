import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// What keeps rollouts of Codex from going on: each is refused before it is healed, and is not afterwards.
@Suite("A rollout of Codex that can't go on")
struct CodexRescueTests {
  /// A rollout that is written here, line by line.
  struct Rollout {
    var lines: [String] = []

    init(header: Bool = true, numbered: Bool = false) {
      guard header else { return }
      let mode = numbered ? #","history_mode":"paginated""# : ""
      add(
        "session_meta",
        #"{"id":"\#(Talk.session)","timestamp":"2026-11-20T10:00:00.000Z","cwd":"/home/alice/fruit","originator":"codex_cli","cli_version":"0.144.0","source":"cli","model_provider":"openai"\#(mode)}"#
      )
    }

    mutating func add(_ type: String, _ payload: String, ordinal: Int? = nil) {
      let number = ordinal.map { #""ordinal":\#($0),"# } ?? ""
      lines.append(
        #"{"timestamp":"2026-11-20T10:00:00.000Z",\#(number)"type":"\#(type)","payload":\#(payload)}"#
      )
    }

    mutating func item(_ item: String) { add("response_item", item) }

    mutating func compacted(_ items: [String]) {
      add(
        "compacted",
        #"{"message":"","replacement_history":[\#(items.joined(separator: ","))]}"#)
    }

    static func said(_ text: String, by role: String = "user", _ more: String = "") -> String {
      #"{"type":"message","role":"\#(role)","content":[{"type":"\#(role == "user" ? "input" : "output")_text","text":"\#(text)"}\#(more)]}"#
    }

    static func image(_ bytes: [UInt8], as type: String = "image/png") -> String {
      #",{"type":"input_image","image_url":"data:\#(type);base64,\#(Data(bytes).base64EncodedString())"}"#
    }

    static func call(_ id: String) -> String {
      #"{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"\#(id)"}"#
    }

    static func output(_ id: String, _ output: String = #""done""#) -> String {
      #"{"type":"function_call_output","call_id":"\#(id)","output":\#(output)}"#
    }

    static let thought =
      #"{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"c2VjcmV0"}"#

    var text: String { lines.map { $0 + "\n" }.joined() }
  }

  private var sound: Rollout {
    var rollout = Rollout()
    rollout.add("turn_context", #"{"cwd":"/home/alice/fruit","model":"gpt-x"}"#)
    rollout.item(Rollout.said("List it."))
    rollout.item(Rollout.thought)
    rollout.item(Rollout.call("c-1"))
    rollout.item(Rollout.output("c-1"))
    rollout.item(Rollout.said("A banana.", by: "assistant"))
    return rollout
  }

  @discardableResult
  private func heal(
    _ rollout: Rollout, _ causes: Set<RescueCause>, options: RescueOptions = .init(),
    location: SourceLocation = #_sourceLocation
  ) throws -> (report: RescueReport, lines: [String]) {
    let healed = try Healed(Data(rollout.text.utf8), options: options)
    #expect(Set(healed.report.findings.map(\.cause)) == causes, sourceLocation: location)
    #expect(healed.report.unhealed.isEmpty, sourceLocation: location)
    #expect(try healed.again(options).isEmpty, sourceLocation: location)
    #expect(healed.unnamedChanges.isEmpty, sourceLocation: location)
    return (healed.report, healed.lines)
  }

  @Test func `is none where nothing is wrong; only its id is another`() throws {
    let healed = try Healed(Data(sound.text.utf8))
    #expect(healed.report.findings.isEmpty && healed.report.changes.isEmpty)
    let id = healed.id.uuidString.lowercased()
    #expect(healed.written == sound.lines.map { $0.replacing(Talk.session, with: id) })
    #expect(healed.report.before.sent == 5)
  }

  @Test func `has images that can't be sent, also in the history that a compaction left`() throws {
    var rollout = sound
    let bmp = Rollout.said("Look.", by: "user", Rollout.image(Picture.bmp, as: "image/bmp"))
    rollout.compacted([bmp, Rollout.said("I see.", by: "assistant")])
    rollout.item(Rollout.call("c-2"))
    let page = Rollout.image(Array("<html></html>".utf8)).dropFirst()
    rollout.item(Rollout.output("c-2", "[\(page)]"))
    let (report, lines) = try heal(rollout, [.imageType, .imageDamaged])
    #expect(report.changes.map(\.edit) == [.label, .label])
    #expect(lines[7].contains(#"{"type":"input_text","text":"[image_1: "#))
    #expect(lines[9].contains(#"[{"type":"input_text","text":"[image_2: HTML, not an image"#))
    // What the compaction replaced is not sent any more.
    #expect(report.before.sent == 3)
  }

  @Test func `is too large for a request: the oldest images go, then long outputs are cut`() throws
  {
    var rollout = sound
    for _ in 0..<3 {
      rollout.item(
        Rollout.said("Look.", by: "user", Rollout.image(Picture.png(9, 9, bytes: 20_000))))
    }
    rollout.item(Rollout.call("c-2"))
    rollout.item(Rollout.output("c-2", #""\#(String(repeating: "word ", count: 20_000))""#))
    var options = RescueOptions()
    options.limits["request-bytes"] = 140_000
    #expect(try heal(rollout, [.requestTooLarge], options: options).report.changes.count == 2)
    options.limits["request-bytes"] = 50_000
    let edits = try heal(rollout, [.requestTooLarge], options: options).report.changes.map(\.edit)
    #expect(edits == [.label, .label, .label, .cut])
  }

  @Test func `has calls without outputs, and outputs without calls`() throws {
    var rollout = sound
    rollout.item(Rollout.call("c-2"))
    rollout.item(Rollout.said("Well?"))
    rollout.item(Rollout.output("c-9"))
    let (report, lines) = try heal(rollout, [.callUnanswered, .resultWithoutCall])
    #expect(Set(report.changes.map(\.edit)) == [.answer, .leaveOut])
    #expect(lines[8].contains(#""call_id":"c-2","output":"\#(RescueText.unanswered)""#))
    var compacted = sound
    compacted.compacted([
      Rollout.output("c-1"), Rollout.said("Go on."), Rollout.call("c-3"), Rollout.output("c-8"),
    ])
    try heal(compacted, [.callUnanswered, .resultWithoutCall])
  }

  @Test func `has thinking that nothing follows`() throws {
    var rollout = sound
    rollout.item(Rollout.thought)
    rollout.item(Rollout.said("Well?"))
    let (report, lines) = try heal(rollout, [.thinkingLast])
    #expect(report.changes.map(\.edit) == [.leaveOut])
    #expect(lines.count == rollout.lines.count - 1)
  }

  @Test func `had its encrypted thinking refused: what it says in plain words stays`() throws {
    var rollout = sound
    rollout.compacted([
      Rollout.said("List it."), #"{"type":"compaction","encrypted_content":"c2VjcmV0"}"#,
    ])
    rollout.item(Rollout.thought)
    rollout.item(Rollout.said("So.", by: "assistant"))
    rollout.add(
      "event_msg",
      #"{"type":"error","message":"The encrypted content could not be verified."}"#)
    let (report, lines) = try heal(rollout, [.thinkingRefused])
    #expect(report.complaint?.line == 11)
    #expect(lines[7].contains(#""replacement_history":[\#(Rollout.said("List it."))]"#))
    #expect(lines[8].contains(#""text":"Hm."}],"encrypted_content":null"#))
  }

  @Test func `has numbers with gaps, and lines without one`() throws {
    var rollout = Rollout(numbered: true)
    rollout.lines[0] = rollout.lines[0].replacing(#","type""#, with: #","ordinal":0,"type""#)
    rollout.add("response_item", Rollout.said("List it."), ordinal: 1)
    rollout.lines.append(String(repeating: "\0", count: 20))
    rollout.add("response_item", Rollout.said("And?"), ordinal: 1)
    rollout.add("response_item", Rollout.call("c-1"))
    let (report, lines) = try heal(rollout, [.ordinalBroken, .callUnanswered, .lineDamaged])
    #expect(report.changes.contains { $0.edit == .number })
    for (index, line) in lines.enumerated() { #expect(line.contains(#""ordinal":\#(index),"#)) }
  }

  @Test func `has no header that Codex would take`() throws {
    var rollout = sound
    rollout.lines.removeFirst()
    var options = RescueOptions()
    options.folder = "/home/alice/fruit"
    let url = FileManager.default.temporaryDirectory
      .appending(path: "rollout-2026-11-20T10-00-00-\(Talk.session).jsonl")
    try Data(rollout.text.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let rescue = try Rescue(path: url.path, options: options)
    #expect(rescue.report.findings.map(\.cause) == [.headerMissing])
    #expect(rescue.report.changes.map(\.edit) == [.head])
    var written: [String] = []
    let id = UUID()
    try rescue.write(as: id) { written.append(String(decoding: $0, as: UTF8.self)) }
    #expect(written[0].contains(#""payload":{"id":"\#(id.uuidString.lowercased())""#))
    #expect(written.dropFirst().joined() == rollout.text)
    // Where nothing says which session it is, that is said.
    let nameless = try Healed(Data(rollout.text.utf8))
    #expect(nameless.report.unhealed.map(\.cause) == [.headerMissing])
  }

  @Test func `was held in a folder that has moved`() throws {
    var options = RescueOptions()
    options.folder = "/home/alice/orchard"
    let (report, lines) = try heal(sound, [.folderMoved], options: options)
    #expect(report.changes.map(\.edit) == [.move, .move])
    #expect(lines.count { $0.contains("/home/alice/orchard") } == 2)
  }

  @Test func `is written under a name that Codex finds`() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl")
    try Data(sound.text.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let rescue = try Rescue(path: url.path)
    let id = UUID()
    let name = rescue.fileName(id, at: Date(timeIntervalSince1970: 1_763_632_800))
    let shape = /rollout-2025-11-\d\dT\d\d-\d0-00-[0-9a-f-]{36}\.jsonl/
    #expect(name.wholeMatch(of: shape) != nil, "\(name)")
    #expect(rescue.id(inFileName: name) == id)
    #expect(rescue.id(inFileName: "rollout.jsonl") == nil)
  }

  /// Rollouts of all shapes: each is healed, by changes that are all in the report.
  @Test func `is healed whatever is wrong with it`() throws {
    var options = RescueOptions()
    options.limits["request-bytes"] = 60_000
    for _ in 0..<150 {
      let seed = UInt64.random(in: 0 ... .max)
      var chance = Chance(seed: seed)
      var rollout = Rollout(numbered: chance.one(in: 3))
      for number in 0..<Int.random(in: 1...20, using: &chance) {
        Self.add(number, to: &rollout, &chance)
      }
      rollout.item(Rollout.said("Go on."))
      let healed = try Healed(Data(rollout.text.utf8), options: options)
      #expect(healed.report.unhealed.isEmpty, "seed \(seed)")
      #expect(try healed.again(options).isEmpty, "seed \(seed)")
      #expect(healed.unnamedChanges.isEmpty, "seed \(seed)")
    }
  }

  private static func random(_ number: Int, _ chance: inout Chance) -> String {
    let images = [
      Picture.png(9, 9), Picture.bmp, Picture.jpeg, Array("<html>".utf8),
      Picture.png(9, 9, bytes: 30_000), Picture.png(9, 9).dropLast(5),
    ]
    let image = Rollout.image(images.randomElement(using: &chance) ?? [])
    return switch Int.random(in: 0..<8, using: &chance) {
    case 0: Rollout.said("Hello.")
    case 1: Rollout.said("See.", by: "user", image)
    case 2: Rollout.thought
    case 3: Rollout.call("c-\(number)")
    case 4: Rollout.output("c-\(number - 1)")
    case 5: Rollout.output("c-\(number - 1)", "[\(image.dropFirst())]")
    case 6: Rollout.output("c-\(number - 1)", #""\#(String(repeating: "word ", count: 14_000))""#)
    default: Rollout.said("Yes.", by: "assistant")
    }
  }

  private static func add(_ number: Int, to rollout: inout Rollout, _ chance: inout Chance) {
    switch Int.random(in: 0..<12, using: &chance) {
    case 0: rollout.compacted((0..<4).map { random(number + $0, &chance) })
    case 1: rollout.lines.append(#"{"timestamp":"2026","type":"resp"#)
    case 2: rollout.add("event_msg", #"{"type":"token_count"}"#)
    default: rollout.item(random(number, &chance))
    }
  }
}
