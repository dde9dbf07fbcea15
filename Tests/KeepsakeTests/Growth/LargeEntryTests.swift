import KeepsakeFiles
import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Attack 43: entries with tens of thousands of parts.
@Suite("What an entry of many parts costs")
struct LargeEntryTests {
  /// What four times as much may cost at most: linear is 4, a square is 16.
  private static let limit = 8.0

  private static func image(_ number: Int, artifact: Bool = true) throws -> Entry.Attachment {
    let digest = SHA256.digest(of: Array("\(number)".utf8)).hex
    let bytes = artifact ? #""sha256:\#(digest)""# : "null"
    return try Entry.Attachment(
      json: JSON(
        validating: """
          {"artifact":\(bytes),"size":1,"sniffedType":"image/png","declaredType":"image/png",
          "session":"6F1C9B36-5B1C-4E0B-9B9C-2C6E3D0B7A11","created":"2026-01-01T00:00:00Z",
          "direction":"given","maker":"user","basis":"explicit","label":"image_\(number + 1)",
          "segment":\(number),"recording":\(number + 1),"position":0}
          """))
  }

  private static func prompt(images count: Int, artifacts: Bool = true) throws -> Entry {
    var entry = Entry(.prompt, segments: (0..<count).map { .attachment($0) })
    entry.position = 0
    entry.attachments = try (0..<count).map { try image($0, artifact: artifacts) }
    return entry
  }

  @Test func `43: what stands at its segments is found in one look at its attachments`() throws {
    let growth = try growth(from: 500, preparing: { try Self.prompt(images: $0) }) {
      #expect($0.estimatedTokens > 1_400 * $0.segments.count)
    }
    #expect(growth < Self.limit)
  }

  @Test func `43: words take the place of its images in time that grows with them`() async throws {
    let growth = try await growthOfTask(from: 300) { (count) async throws -> (Entry, Entry) in
      (Entry.instructions("i"), try Self.prompt(images: count))
    } of: { instructions, prompt in
      let half = 700 * prompt.segments.count
      let resumed = try await Resumption(
        [instructions, prompt], outcomes: [nil, nil], options: .init(budget: .tokens(half)))
      let gone = resumed.notes.filter { $0.action == .replaced }.count
      #expect(resumed.entries.count == 2)
      #expect(gone >= prompt.segments.count / 2 && gone < prompt.segments.count)
    }
    #expect(growth < Self.limit)
  }

  @Test func `43: images without bytes are told of in time that grows with them`() async throws {
    let growth = try await growthOfTask(from: 500) { (count) async throws -> Entry in
      try Self.prompt(images: count, artifacts: false)
    } of: { prompt in
      let resumed = try await Resumption([prompt], outcomes: [nil], options: .init())
      #expect(resumed.notes.filter { $0.action == .replaced }.count == prompt.segments.count)
    }
    #expect(growth < Self.limit)
  }

  @Test func `43: outputs that name no call find theirs in time that grows with them`() {
    let growth = growth(from: 300) { count in
      let calls = (0..<count).map { Entry.ToolCall(id: "\($0)", tool: "Draw") }
      let outputs = (0..<count).map {
        Entry.toolOutput(callID: nil, tool: "Draw", segments: [.text("\($0)")])
      }
      return [Entry.toolCalls(calls)] + outputs
    } of: { list in
      let pairs = CallPairs(list)
      #expect(pairs.calls.count == list.count - 1)
      #expect(pairs.calls[list.count - 1]?.ordinal == list.count - 2)
    }
    #expect(growth < Self.limit)
  }

  @Test func `an output that names no call answers the first one of its tool that still waits`() {
    let calls = ["Draw", "Paint", "Draw", "Draw"].enumerated().map {
      Entry.ToolCall(id: "\($0)", tool: $1)
    }
    func output(_ tool: String?, _ call: String? = nil) -> Entry {
      .toolOutput(callID: call, tool: tool, segments: [])
    }
    let pairs = CallPairs([
      .toolCalls(calls), output("Draw", "2"), output("Draw"), output("Draw"), output("Draw"),
      output("Paint"), output(nil), .toolCalls([calls[0]]), output("Draw"),
    ])
    #expect(
      (1...8).map { pairs.calls[$0]?.ordinal } == [2, 0, 3, nil, 1, nil, nil, 0])
    #expect(pairs.calls[8]?.entry == 7)
  }

  @Test func `43: each attachment gets its segment in time that grows with them`() throws {
    let growth = try growth(from: 500) { count in
      let segments = (0..<count).reversed().map { Entry.Segment.attachment($0) }
      let entry = Entry(.prompt, segments: segments)
      return (entry, (0..<count).map { _ in Entry.NewAttachment(.bytes([1])) })
    } of: { entry, attachments in
      let prepared = try PreparedAppend(entry, attaching: attachments)
      #expect(prepared.attachments.last?.new.segment == 0)
      #expect(prepared.attachments.first?.new.segment == attachments.count - 1)
    }
    #expect(growth < Self.limit)
  }

  @Test func `attachments that no segment stands for come behind those that are there`() throws {
    let entry = Entry(
      .prompt, segments: [.text("a"), .attachment(2), .attachment(7), .attachment(2)])
    let prepared = try PreparedAppend(
      entry, attaching: (0..<4).map { _ in Entry.NewAttachment(.bytes([1])) }, isForeign: true)
    #expect(prepared.attachments.map(\.new.segment) == [4, 5, 1, 6])
    #expect(
      prepared.entry.entry.segments == entry.segments + [
        .attachment(0), .attachment(1), .attachment(3),
      ])
  }

  @Test func `43: labels are found in an output in time that grows with them`() {
    let growth = growth(from: 500) { count in
      Entry.response((1...count).map { "'image_\($0)'" }.joined(separator: ", "))
    } of: { entry in
      let count = entry.text.utf8.count { $0 == UInt8(ascii: ",") } + 1
      var places = LabelPlaces(entry)
      for number in 1...count { #expect(places.place(of: "image_\(number)") != nil) }
    }
    #expect(growth < Self.limit)
  }

  @Test func `a label is found at its first place, as a whole word, the first time and later`() {
    let entry = Entry(
      .toolOutput,
      segments: [.attachment(0), .text("image_12 my cup image_1é"), .text("é image_1,image_1")])
    var places = LabelPlaces(entry)
    for _ in 0..<3 {
      for (label, segment, range) in [
        ("image_12", 1, 0..<8), ("image_1", 2, 3..<10), ("my cup", 1, 9..<15), ("cup", 1, 12..<15),
      ] {
        let place = places.place(of: label)
        #expect(place?.segment == segment)
        #expect(place?.range == range)
      }
      #expect(places.place(of: "image_") == nil)
      #expect(places.place(of: "") == nil)
    }
  }

  @Test func `43: an entry of many revisions is verified in time that grows with them`()
    async throws
  {
    try await withTemporaryStore { few in
      try await withTemporaryStore { many in
        let growth = try await growthOfTask(from: 250) { (count) async throws -> Store in
          let store = count == 250 ? few : many
          try await Self.revise(count, in: store)
          return store
        } of: { store in
          let report = try await store.verify()
          #expect(report.findings == [])
        }
        #expect(growth < Self.limit)
      }
    }
  }

  /// In one transaction, because only the checking is measured.
  private static func revise(_ count: Int, in store: Store) async throws {
    let session = try await store.createSession()
    try await session.append(.prompt("0"))
    let now = store.handle.now()
    try await store.handle.write { change in
      var row = try SessionRow(session, in: change.db)
      for number in 1...count {
        _ = try session.revise(
          0, to: .prompt("\(number)"), texts: .none, salt: Salt(), at: now, row: &row, in: change)
      }
      try row.save(in: change.db)
    }
  }
}
