import KeepsakeTestSupport
import Keepsake

@testable import Keepsake
@testable import KeepsakeFormats

/// A random conversation of the kinds that services know: instructions with tools, prompts with images, reasoning, calls
/// alone and together, their outputs, and responses.
struct RandomConversation {
  private var random: SeededGenerator
  private var calls = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func entries() -> [OutgoingEntry] {
    var entries: [OutgoingEntry] = []
    if chance(2) { entries.append(instructions()) }
    for _ in 0..<int(1...3) {
      entries.append(said(.prompt, images: true))
      for _ in 0..<int(0...2) { entries += callsAndOutputs() }
      if chance(3) { entries.append(reasoning()) }
      if !chance(5) { entries.append(said(.response, images: chance(5))) }
    }
    return entries
  }

  private mutating func instructions() -> OutgoingEntry {
    var entry = Entry(.instructions, segments: [.text(text())], created: nil)
    if chance(2) {
      entry.toolDefinitions = [
        [
          "type": "function",
          "function": [
            "name": "draw", "description": .string(text()),
            "parameters": ["type": "object", "properties": ["n": ["type": "integer"]]],
          ],
        ]
      ]
    }
    return OutgoingEntry(entry)
  }

  private mutating func reasoning() -> OutgoingEntry {
    var entry = Entry(.reasoning, segments: [.text(text())], created: nil)
    if chance(2) { entry.signature = "c2ln\(int(0...999))" }
    return OutgoingEntry(entry)
  }

  private mutating func callsAndOutputs() -> [OutgoingEntry] {
    let asked = (0..<int(1...3)).map { _ in
      calls += 1
      let arguments =
        chance(10) ? "no JSON" : #"{"n": \#(int(0...9)), "what":"\#(int(0...9))"}"#
      return Entry.ToolCall(
        id: "call_\(calls)", tool: chance(2) ? "draw" : "read_file", arguments: arguments)
    }
    var entries: [OutgoingEntry] = []
    if chance(3) { entries.append(said(.response, images: false)) }
    entries.append(OutgoingEntry(Entry(.toolCalls, toolCalls: asked, created: nil)))
    for call in asked where !chance(12) {
      var output = said(.toolOutput, images: chance(2))
      output.entry.callID = call.id
      output.entry.tool = call.tool
      if chance(8) {
        output = OutgoingEntry(
          .toolOutput(
            callID: call.id, tool: call.tool, segments: [.structure(["made": [1, 2]])]))
      }
      entries.append(output)
    }
    return entries
  }

  private mutating func said(_ kind: Entry.Kind, images: Bool) -> OutgoingEntry {
    var entry = Entry(kind, created: nil)
    var attachments: [Int: OutgoingAttachment] = [:]
    for index in 0..<int(1...3) {
      if images, chance(3) {
        entry.segments.append(.init(.attachment(attachments.count)))
        attachments[index] = attachment()
      } else {
        entry.segments.append(.text(text()))
      }
    }
    return OutgoingEntry(entry, attachments: attachments)
  }

  private mutating func attachment() -> OutgoingAttachment {
    let bytes = (0..<int(1...80)).map { _ in UInt8(int(0...255)) }
    let types: [MediaType] = [
      "image/png", "image/jpeg", "audio/wav", "application/pdf", "text/csv",
    ]
    if chance(8) {
      return OutgoingAttachment(.absent, reference: "https://example.com/\(int(0...99)).png")
    }
    return OutgoingAttachment(.bytes(bytes), mediaType: types[int(0...types.count - 1)])
  }

  private mutating func text() -> String {
    ["a banana", "Größe \"x\"\n", "\u{1F34C} {}", "1", "- a\n- b\t", "\\"][int(0...5)]
      + "\(int(0...99))"
  }

  private mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
  private mutating func chance(_ one: Int) -> Bool { int(1...one) == 1 }
}
