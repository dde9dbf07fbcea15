import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite("Mentions in entries")
struct MentionTests {
  @Test
  func `a mention in a structure and in arguments has its pointer, and its range in the string`()
    throws
  {
    let index = MentionIndex([.made(1, reference: "/tmp/a~b/cup.png")])
    var entry = Entry(
      .response,
      segments: [
        .text("nothing"),
        .structure(
          try JSON(
            validating:
              #"{"a/b": [1, {"picture": "\/tmp\/a~b\/cup.png"}], "c": "é, see image_1 now"}"#)),
      ])
    entry.toolCalls = [
      .init(tool: "Show", arguments: #"{"what": "image_1"}"#),
      .init(tool: "Show", arguments: "not JSON, image_1"),
    ]
    let found = index.mentions(in: entry)
    #expect(
      found.map(\.place) == [
        .structure(segment: 1, pointer: try JSONPointer("/a~1b/1/picture"), range: nil),
        .structure(segment: 1, pointer: try JSONPointer("/c"), range: 8..<15),
        .arguments(call: 0, pointer: try JSONPointer("/what"), range: nil),
        .arguments(call: 1, pointer: nil, range: 10..<17),
      ])
    #expect(found.map { $0.resolution.match } == [.reference, .label, .label, .label])
  }

  @Test func `two files of one name are ambiguous, and neither is guessed`() {
    let attachments: [Entry.Attachment] = [
      .made(1, reference: "/tmp/a/cup.png", at: 3), .made(2, reference: "/tmp/b/cup.png", at: 5),
    ]
    let index = MentionIndex(attachments)
    #expect(index.resolve("cup.png") == .ambiguous(attachments))
    #expect(index.resolve("/tmp/b/cup.png").attachment == attachments[1])
    #expect(index.resolve("b/cup.png").attachment == attachments[1])
    // In the entry that one of them is attached to, that one is meant.
    var entry = Entry.toolOutput(callID: nil, tool: "Draw", segments: [.text("made cup.png")])
    entry.position = 5
    #expect(index.mentions(in: entry).map(\.resolution.attachment) == [attachments[1]])
  }

  @Test func `the same bytes twice, or an attempt that was superseded, make nothing ambiguous`() {
    let same = MentionIndex([
      .made(1, reference: "/tmp/a/cup.png", bytes: "x"),
      .made(2, reference: "/tmp/b/cup.png", bytes: "x"),
    ])
    #expect(same.resolve("cup.png").attachment?.recording == 1)
    let newer = MentionIndex([
      .made(1, reference: "/tmp/cup.png", state: .superseded), .made(2, reference: "/tmp/cup.png"),
    ])
    #expect(newer.resolve("/tmp/cup.png").attachment?.recording == 2)
  }

  @Test func `a name of very many is ambiguous, though the first of them are the same`() {
    let many = (1...100).map {
      Entry.Attachment.made($0, reference: "/tmp/\($0)/cup.png", bytes: $0 < 100 ? "x" : "y")
    }
    guard case .ambiguous(let told) = MentionIndex(many).resolve("cup.png") else {
      Issue.record("one was guessed")
      return
    }
    #expect(told.count == 16)
  }

  @Test func `what looks like one of ours and is none is told of where that is asked for`() {
    let index = MentionIndex([.made(1, reference: "/tmp/a/cup.png")])
    let entry = Entry.response(
      "See /tmp/other/cup.png, image_7 and image_1; and/or 1/2, https://example.com/x.png.")
    #expect(index.mentions(in: entry).map(\.spelling) == ["image_1"])
    let all = index.mentions(in: entry, unknown: true)
    #expect(all.map(\.spelling) == ["/tmp/other/cup.png", "image_7", "image_1"])
    #expect(all.map(\.resolution.match) == [nil, nil, .label])
  }

  @Test func `hostile text and names cost time that grows with their length alone`() {
    let names = (0..<2_000).map {
      Entry.Attachment.made($0, label: "a a a a a a_\($0)", reference: "/a a/a a/a a/a_\($0)")
    }
    let index = MentionIndex(names)
    for piece in [
      "(", "a ", "/a a", "a_1", "![](", "\\", "%25", "e\u{301}\u{301}", "\"", "<a ", "~/a ",
    ] {
      let short = String(repeating: piece, count: 4_000 / piece.utf8.count)
      let long = String(repeating: short, count: 8)
      let first = processorTime { _ = index.mentions(in: .response(short), unknown: true) }
      let second = processorTime(attempts: 1) {
        _ = index.mentions(in: .response(long), unknown: true)
      }
      let limit = max(first, .milliseconds(2)) * 8 * 4
      #expect(second < limit, "\(piece): \(first), then \(second)")
    }
    let deep = String(repeating: "[", count: 500) + "\"a_1\"" + String(repeating: "]", count: 500)
    #expect(index.mentions(in: .response(deep)).count == 1)
  }
}

@Suite("Mentions in a session")
struct SessionMentionTests {
  @Test func `a session resolves what its tools returned, and knows of what came since`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("a banana"))
      #expect(try await session.resolve("/tmp/T/banana.png") == .unknown)
      var new = Entry.NewAttachment(.data(Data("one".utf8)), madeBy: .step("draw"))
      new.reference = "/tmp/T/banana.png"
      let first = try await session.attach(new, to: 0)
      #expect(try await session.resolve("file:///tmp/T/banana.png").attachment == first)
      let entry = try await session.append(.response("![](/private/tmp/T/banana.png)"))
      #expect(try await session.mentions(in: entry).map(\.resolution.attachment) == [first])

      new.source = .data(Data("two".utf8))
      new.reference = "/tmp/U/banana.png"
      try await session.attach(new)
      #expect(try await session.resolve("banana.png").attachment == nil)
      #expect(try await session.resolve("T/banana.png").attachment == first)

      let fork = try await session.fork()
      #expect(try await fork.resolve("/tmp/T/banana.png").attachment == first)
      try await session.erase(first)
      #expect(try await session.resolve("/tmp/T/banana.png").attachment == nil)
      #expect(try await session.resolve(first.label).attachment?.state == .erased)
      #expect(try await fork.resolve("/tmp/T/banana.png").attachment == nil)
    }
  }

  @Test
  func
    `resolving in a session of a thousand attachments costs a small multiple of reading one entry`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.prompt("many"))
      for number in 0..<1_000 {
        var new = Entry.NewAttachment(.data(Data("\(number)".utf8)), madeBy: .source)
        new.reference = "/tmp/T/picture \(number).png"
        try await session.attach(new, to: number % 2 == 0 ? 0 : nil)
      }
      _ = try await session.resolve("picture%20500.png")
      let plain = try await store.createSession()
      try await plain.append(.prompt("one"))
      // A busy machine may take the processor from either: the shortest of many attempts is what each costs.
      let clock = ContinuousClock()
      var resolving = Duration.seconds(100)
      var reading = Duration.seconds(100)
      for number in 0..<100 {
        let time = try await clock.measure {
          let found = try await session.resolve("/tmp/T/picture%20\(number).png").attachment
          #expect(found?.reference == "/tmp/T/picture \(number).png")
        }
        resolving = min(resolving, time)
        reading = min(reading, try await clock.measure { _ = try await plain.entry(at: 0) })
      }
      #expect(resolving < reading * 30, "resolve: \(resolving), read an entry: \(reading)")
    }
  }
}
