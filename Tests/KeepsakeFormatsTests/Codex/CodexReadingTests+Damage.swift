import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

// MARK: - What is not as it should be

extension CodexReadingTests {
  @Test(arguments: [
    (#"{"type":"hologram","x":1}"#, "its type is not known"),
    (#"{"x":1}"#, "its type is not known"),
    (#"{"type":"message","role":"oracle","content":[]}"#, "its role 'oracle' is not known"),
    (#"{"type":"message","content":[]}"#, "it has no role"),
    (#"{"type":"message","role":"user","content":7}"#, "neither a text nor a list"),
    (#"{"type":"reasoning","summary":{}}"#, "neither a text nor a list"),
  ])
  func `an item that is not understood is kept whole, with the reason`(
    item: String, reason: String
  ) async throws {
    var rollout = Rollout(id: "s1")
    rollout.item(item)
    rollout.message("user", "Hi.")
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.skipped.count == 1)
      #expect(report.skipped.first?.reason.contains(reason) == true, "\(report.skipped)")
      #expect(report.skipped.first?.line == 3)
      let entries = try await session.entries.all()
      #expect(entries.map(\.kind) == [.instructions, .unknown, .prompt])
      guard case .opaque(let json, _)? = entries[1].segments.first?.content else {
        return #expect(Bool(false))
      }
      #expect(json.text == item)
    }
  }

  @Test(arguments: ["AAAA...BBBB", "AAAAA", "*"])
  func `damaged base64 is kept as it is, and told`(base64: String) async throws {
    let long = Rollout.base64(4)
    let damaged = String(long.prefix(1000)) + base64 + String(long.suffix(1000))
    var rollout = Rollout(id: "s1")
    rollout.item(
      #"{"type":"image_generation_call","id":"ig_1","status":"completed","result":"\#(damaged)"}"#)
    rollout.item(
      #"{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,\#(damaged)"}]}"#
    )
    rollout.add(
      "compacted",
      #"{"message":"","replacement_history":[{"type":"image_generation_call","result":"\#(damaged)"}]}"#
    )
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.skipped.count == 2, "\(report.skipped)")
      #expect(try await store.artifacts().artifacts.isEmpty)
      let entries = try await session.entries.all()
      #expect(
        entries.map(\.kind) == [.instructions, .toolCalls, .toolOutput, .prompt, .event])
      #expect(
        entries[2].segments.map(\.content) == [
          .opaque(.string(damaged), type: "codex.image_generation_call")
        ])
      guard case .opaque? = entries[3].segments.first?.content else {
        return #expect(Bool(false))
      }
    }
  }

  @Test func `an image without bytes, and a reference to one, are calls all the same`() throws {
    var rollout = Rollout()
    rollout.item(
      #"{"type":"image_generation_call","id":"ig_1","status":"failed","result":null,"error":{"code":"blocked"}}"#
    )
    rollout.item(#"{"type":"image_generation_call","id":"ig_2","status":"completed","result":""}"#)
    rollout.item(#"{"type":"image_generation_call","id":"ig_1"}"#)
    let entries = try CodexCodec.records(rollout.bytes).flatMap(\.entries).map(\.entry)
    #expect(
      entries.map(\.kind) == [.toolCalls, .toolOutput, .toolCalls, .toolOutput, .toolCalls])
    #expect(entries.map(\.key) == ["ig_1", nil, "ig_2", nil, nil])
    #expect(
      entries[1].segments == [.structure(try JSON(validating: #"{"code":"blocked"}"#))])
    #expect(entries[3].segments.isEmpty)
  }

  @Test func `base64 is cut in the order of the bytes, in whatever order keys come`() throws {
    let first = Rollout.base64(5)
    let second = Rollout.base64(6)
    var rollout = Rollout()
    rollout.item(
      #"{"extra":["data:image/png;base64,\#(first)"],"result":"\#(second)","type":"image_generation_call","more":{"image":"data:image/png;base64,\#(first)"}}"#
    )
    let records = try CodexCodec.records(rollout.bytes)
    let spans = records.flatMap(\.spans)
    #expect(spans.count == 3)
    #expect(spans.map(\.range.lowerBound) == spans.map(\.range.lowerBound).sorted())
    let bytes = try #require(records.first).bytes
    #expect(
      spans.map { String(decoding: bytes[$0.range], as: UTF8.self) } == [first, second, first])
  }

  @Test func `43: a line of many images is read in time that grows with them`() throws {
    let growth = try growth(from: 40) { count in
      let base64 = Rollout.base64(9)
      let images = (0..<count).map { number in
        number % 2 == 0
          ? #"{"result":"\#(base64)","more":["data:image/png;base64,\#(base64)"],"type":"image_generation_call"}"#
          : #"{"type":"input_image","image_url":"data:image/png;base64,\#(base64)"}"#
      }.joined(separator: ",")
      var rollout = Rollout()
      rollout.item(#"{"type":"message","role":"user","content":[\#(images)]}"#)
      rollout.add("compacted", #"{"message":"","replacement_history":[\#(images)]}"#)
      return (count, rollout.bytes)
    } of: { (count, bytes) in
      let spans = try CodexCodec.records(bytes).flatMap(\.spans)
      #expect(spans.count == 3 * count)
    }
    #expect(growth < 8)
  }

  @Test func `what is too large for an entry is kept as an artifact`() async throws {
    let large = String(repeating: "banana ", count: (15 << 20) / 7)
    var rollout = Rollout(id: "s1")
    rollout.message("user", large)
    rollout.item(
      #"{"type":"function_call","name":"shell","arguments":"\#(large)","call_id":"c1"}"#)
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.skipped.map(\.line) == [4])
      let entries = try await session.entries.all()
      #expect(entries.map(\.kind) == [.instructions, .prompt, .unknown])
      #expect(entries[1].text == large)
    }
  }

  @Test func `lines that were changed at random are read or kept, and never crash`() throws {
    var rollout = Rollout(id: "s1")
    rollout.message("user", "Draw a banana.")
    rollout.item(
      #"{"type":"image_generation_call","id":"ig_1","status":"completed","result":"\#(Rollout.base64(7))"}"#
    )
    rollout.item(
      #"{"type":"function_call_output","call_id":"c1","output":[{"type":"input_image","image_url":"data:image/png;base64,\#(Rollout.base64(8))"}]}"#
    )
    rollout.tokens([1, 1, 1, 1], last: [1, 1, 1, 1])
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<400 {
      var damaged = rollout.bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: damaged.indices, using: &random)
        damaged[index] = Array("{}[]\",:\\u0/=\n".utf8).randomElement(using: &random) ?? 0
      }
      let records = try CodexCodec.records(damaged)
      #expect(records.flatMap(\.bytes) == damaged, "seed \(seed), round \(round)")
      for record in records {
        var end = 0
        for span in record.spans {
          #expect(span.range.lowerBound >= end, "seed \(seed), round \(round)")
          end = span.range.upperBound
        }
      }
    }
  }

  @Test func `a rollout is given back to the byte, and written anew once it changed`() async throws
  {
    try await withStore { store, folder in
      let rollout = Rollout(id: "s1")
      let (session, _) = try await session(rollout, store, folder)
      let (bytes, losses) = try await session.exported(as: "codex")
      #expect(bytes == [UInt8](rollout.text.utf8))
      #expect(losses == Losses())
      try await session.append(.response("of the app's own"))
      let anew = String(decoding: try await session.exported(as: "codex").bytes, as: UTF8.self)
      #expect(anew.contains("of the app's own"))
      #expect(anew.contains(session.id.uuidString.lowercased()))
    }
  }
}
